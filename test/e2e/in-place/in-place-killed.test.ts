/**
 * kill -9 of the worker when a step of an update in place is done and the worker does not know, and
 * of the watcher at any moment. The end is the same, and no machine is made or deleted.
 */
import { KillProxy, type Picker } from '../support/kill-proxy.ts';
import { useInPlace } from '../support/in-place.ts';
import { startRandomKills } from '../support/random-kills.ts';
import { Workloads } from '../support/workloads.ts';

/** Kind of the step, and a part of its body, which later steps may have as well. */
const moments: Record<string, [kind: string, part: string]> = {
  'a candidate': ['api patch nodes', 'candidate-for-update'],
  'said to be one': ['api patch nodes/status', 'CandidateForUpdate'],
  selected: ['api patch nodes', 'selected-for-update'],
  'said to be selected': ['api patch nodes/status', 'SelectedForUpdate'],
  cordoned: ['api patch nodes', 'unschedulable'],
  'its pod evicted': ['api create pods/eviction', ''],
  'in its phase': ['api patch machines/status InPlaceUpdating', ''],
  'said to be drained': ['api patch nodes/status', 'DrainSuccessful'],
  'said to be ready': ['api patch nodes/status', 'ReadyForUpdate'],
  'said to be updated': ['api patch nodes/status', 'UpdateSuccessful'],
  'in the phase after it': ['api patch machines/status InPlaceUpdateSuccessful', ''],
  moved: ['api patch machines', 'ownerReferences'],
  uncordoned: ['api patch nodes', '/spec/unschedulable'],
  'counted by its set': ['api patch machinesets', 'replicas'],
  'without marks': ['api patch nodes', 'critical-components-not-ready'],
  'without its label': ['api patch machines', 'update-result":null'],
};

/** Those at which the worker has not died yet: at each once. */
const left = new Set(Object.keys(moments));

const picks: Picker = ({ kind }, { body }) => {
  const found = [...left].find((words) => {
    const [wanted, part] = moments[words] ?? ['', ''];
    return kind === wanted && body.includes(part);
  });
  return found !== undefined && left.delete(found);
};

describe('kill -9 after every step of an update in place', () => {
  const proxy = new KillProxy({ moment: 'after', name: 'in-place-kills', picks });
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
    expect([...left]).toEqual([]);
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
