import { describeDriverContract } from '../contract.ts';
import { aDriver, aKubevirtWorld, aSpec } from './kubevirt-world.ts';

const world = await aKubevirtWorld();
const { controller, driver, request, during, machines, left } = world;
const patient = aDriver({ waitSeconds: 600 });

describeDriverContract({
  driver: () => driver,
  request,
  create: (asked) => during(patient.createInstance(asked)),
  remove: (asked) => during(patient.deleteInstance(asked)),
  countMade: async (name) => {
    await controller.step();
    return [...controller.seen.values()].filter((seen) => seen === name).length;
  },
  countLiving: async (name) => (await machines(name)).length,
  expectMade: async ({ providerID, nodeName }, name) => {
    expect([providerID, nodeName]).toEqual([`kubevirt://${name}`, name]);
    expect(await left(name)).toHaveLength(3);
  },
  absentProviderID: 'kubevirt://no-such-machine',
  badSpec: {
    providerSpec: { ...aSpec, zone: undefined },
    message: 'Invalid value: providerSpec.zone is missing',
  },
  brokenSpec: { rootVolume: 'none' },
  volumes: {
    specs: [{ csi: { driver: 'csi.kubevirt.io', volumeHandle: 'pvc-1' } }],
    ids: ['pvc-1'],
  },
  remembersTokens: false,
  requestId: /^[0-9a-f-]{36}$/,
});
