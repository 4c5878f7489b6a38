/** What a cloud guarantees against a second instance, each with the contract and with kills. */
import { createdBy, deletedBy } from '../following.ts';
import { describeDriverContract } from '../contract.ts';
import { describeKills } from './kills.ts';
import { impatient, ToyCloud, toyDriver, toyRequest } from './toy-cloud.ts';

const shapes = [
  { shape: 'a server alone', hasParts: false, looks: 0, hasOperations: false },
  { shape: 'a port, volumes and a server that take a while', hasParts: true, looks: 1 },
  { shape: 'operations', hasParts: true, looks: 1, hasOperations: true },
];

describe.each(['token', 'name', 'nothing'] as const)('by %s', (by) => {
  describe.each(shapes)('$shape', ({ hasParts, looks, hasOperations = false }) => {
    const cloud = new ToyCloud(by);
    Object.assign(cloud, { looks, hasOperations });
    const driver = toyDriver(cloud, { hasParts }, impatient);
    const living = (name: string) =>
      cloud.things.filter((thing) => thing.kind === 'server' && thing.name === name).length;

    describeDriverContract({
      driver: () => driver,
      request: toyRequest,
      create: (asked) => createdBy(driver, asked),
      remove: (asked) => deletedBy(driver, asked),
      countMade: (name) => cloud.made.filter((made) => made === `server ${name}`).length,
      countLiving: living,
      absentProviderID: 'toy:///server/server-0',
      badSpec: {
        providerSpec: { size: 'xl' },
        message: 'Invalid value: providerSpec.size: "xl" is not one of s, m',
      },
      brokenSpec: { size: 3 },
      volumes: {
        specs: [{ csi: { driver: 'csi.toys', volumeHandle: 'v-1' } }],
        ids: ['v-1'],
      },
      uniqueness: by,
      requestId: undefined,
    });

    describeKills({
      proxy: () => cloud.wire,
      aDriver: () => toyDriver(cloud, { hasParts }, impatient),
      request: toyRequest,
      countLiving: living,
      left: (name) => cloud.named(name).map((thing) => `${thing.kind} ${thing.name}`),
    });
  });
});
