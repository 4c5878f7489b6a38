/**
 * kill -9 of the worker when a step of an update in place is done and the worker does not know, and
 * of the watcher meanwhile. The end is the same, and no machine is made or deleted.
 */
import { KillProxy } from '../support/kill-proxy.ts';
import { useInPlace } from '../support/in-place.ts';
import { startRandomKills } from '../support/random-kills.ts';
import { Workloads } from '../support/workloads.ts';

/** At each of them the worker has to have died, or the test has not tried what it says. */
const steps = [
  'api create pods/eviction',
  'api patch machines',
  'api patch machines/status InPlaceUpdating',
  'api patch machinesets',
  'api patch nodes',
  'api patch nodes/status',
];

describe('kill -9 after every step of an update in place', () => {
  const proxy = new KillProxy({ moment: 'after', name: 'in-place-kills' });
  // In this order: the worker is started after its proxy.
  beforeAll(() => proxy.start(() => inPlaces.scenario.operator.kill9('worker')));
  const inPlaces = useInPlace('in-place-killed', { workerAccess: () => proxy.access });
  afterAll(() => proxy.stop());
  const { scenario } = inPlaces;
  const workloads = new Workloads(scenario);

  test('all machines are updated, one after the other, and are the same', async () => {
    const inPlace = await inPlaces.begin({ replicas: 2 });
    for (const name of inPlace.names)
      await workloads.start({ app: `on-${name}`, nodeName: name, tolerates: 'dedicated' });
    proxy.arm();
    await inPlace.changeTemplate('two');
    await inPlace.expectUpdated();
    proxy.disarm();
    expect(proxy.kindsHit).toEqual(expect.arrayContaining(steps));
    expect(await inPlace.deleted()).toEqual([]);
    inPlace.nodes.expectBounds({ minInService: 1, maxSelected: 1 });
    inPlace.rollout.recorder.expectBounds({ maxTotal: 2, minAvailable: 1 });
    for (const name of inPlace.names) await workloads.end(`on-${name}`);
  });

  test('also when the watcher dies again and again', async () => {
    const inPlace = await inPlaces.begin({ replicas: 3, agents: 'late=2s' });
    await using kills = startRandomKills(scenario.operator, {
      programs: ['watcher'],
      betweenSeconds: { least: 2, most: 5 },
      most: 6,
    });
    await inPlace.changeTemplate('two');
    await inPlace.expectUpdated();
    await kills.stop();
    expect(await inPlace.deleted()).toEqual([]);
    inPlace.nodes.expectBounds({ minInService: 2, maxSelected: 1 });
  });
});
