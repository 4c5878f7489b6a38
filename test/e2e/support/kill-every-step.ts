/**
 * kill -9 of the worker at the steps of a MachineSet that is scaled up and down: at each of them
 * when it is done and the worker does not know, and before each that makes or deletes something.
 * Never a machine that was not wanted, never a second VM.
 */
import { StateRecorder } from './bounds.ts';
import { type Moment, type State } from './states.ts';
import { eventually } from '../../support/eventually.ts';
import { expectOneInstanceEach } from './invariants.ts';
import { KillProxy, type KillMoment } from './kill-proxy.ts';
import { machinesOf } from './machines.ts';
import { useScenario } from './scenario.ts';
import { createSet, deleteSet, readSet } from './sets.ts';

const decisive = {
  up: ['api create machines', 'cloud create instances'],
  down: ['api delete machines', 'api delete nodes', 'cloud delete instances'],
};
/** Each of them has to have been killed at, or the test has not tried what it says. */
const stepsAt = {
  before: { ...decisive, reads: [], kinds: /^\w+ (create|delete) (?!events)/ },
  after: {
    up: [
      ...decisive.up,
      'api create events',
      'api patch machines',
      'api patch machines/status Pending',
      'api patch machines/status Running',
      'api patch machinesets/status',
      'api patch nodes',
    ],
    down: [...decisive.down, 'api patch machines/status Terminating'],
    reads: ['api list machines', 'api get machines', 'api get machinesets', 'cloud list instances'],
    /** Of those that came, all. */
    kinds: /^\w+ (?!get|list|watch)/,
  },
} satisfies Record<KillMoment, object>;
/** At least: created, Pending, Running; Terminating, its finalizer gone, gone. */
const statesPerMachine = 3;

/**
 * Defines the tests of one moment. Each takes minutes, so they are in files of their own, which run
 * side by side. `isInOne`: the watcher is in the worker, and dies with it. Default false.
 */
export function testKillsAtEveryStep(moment: KillMoment, { isInOne = false } = {}): void {
  const steps = stepsAt[moment];
  let set: string;
  let recorder: StateRecorder;
  const form = isInOne ? `in-one-${moment}` : moment;
  const user = isInOne ? 'millwright-controller' : 'millwright-worker';
  const proxy = new KillProxy({ moment, name: `kill-proxy-${form}`, user });

  // In this order: the worker is started after its proxy, and the recorder ends before its client.
  beforeAll(() => proxy.start(() => scenario.operator.kill9('worker')));
  afterAll(() => recorder.stop());
  const scenario = useScenario(`kill-${form}`, { isInOne, workerAccess: () => proxy.access });
  afterAll(() => proxy.stop());
  const { cluster, cloud, operator } = scenario;

  beforeAll(async () => {
    recorder = new StateRecorder(cluster.kube, scenario.namespace);
    await recorder.started();
    set = await createSet(scenario, 'set', { replicas: 0 });
    await eventually('the set is looked after', async () => {
      const { status } = await readSet(scenario, set);
      expect(status).toMatchObject({ observedGeneration: 1 });
    });
  });

  test('0 to 3 makes exactly 3 machines', async () => {
    proxy.arm();
    await scale(3);
    await untilExactly(3);
    expect(proxy.kindsHit).toEqual(expect.arrayContaining(steps.up));
    expect(recorder.expectBounds({ maxActive: 3 })).toBeGreaterThan(statesPerMachine * 3);
    await expectMade(3);
  });

  test('3 to 5 makes exactly 2 more', async () => {
    const from = await untilRecorded(3);
    await scale(5);
    await untilExactly(5);
    const states = recorder.expectBounds({ from, minActive: 3, maxActive: 5, minAvailable: 3 });
    expect(states).toBeGreaterThan(statesPerMachine * 2);
    await expectMade(5);
  });

  test('5 to 2 deletes exactly 3', async () => {
    const from = await untilRecorded(5);
    // A deletion writes to the same objects as a creation: all of that kills again.
    proxy.arm();
    await scale(2);
    await untilExactly(2);
    expect(proxy.kindsHit).toEqual(expect.arrayContaining(steps.down));
    const states = recorder.expectBounds({ from, minActive: 2, maxActive: 5, minAvailable: 2 });
    expect(states).toBeGreaterThan(statesPerMachine * 3);
    await expectMade(5);
  });

  test('every kind of step was killed at, and no other death happened', async () => {
    await expectOneInstanceEach(scenario);
    proxy.disarm();
    const kinds = [...proxy.seen].filter((kind) => steps.kinds.test(kind));
    expect(proxy.kindsHit).toEqual(expect.arrayContaining([...kinds, ...steps.reads]));
    const keys = proxy.kills.map(({ kind, object }) => `${kind} ${object}`);
    const creates = [...recorder.machineNames].flatMap((name) => [
      `api create machines ${name}`,
      `cloud create instances ${name}`,
    ]);
    expect(keys).toEqual(expect.arrayContaining(creates));
    expect(operator.startsOf('worker')).toBe(proxy.kills.length + 1);
    await deleteSet(scenario, set);
  });

  async function scale(replicas: number): Promise<void> {
    await cluster.patch('machinesets', set, { spec: { replicas } });
  }

  /** Running, with the set's status saying so, and nothing else left of it. */
  async function untilExactly(count: number): Promise<void> {
    await eventually(`${count} machines are Running`, async () => {
      const machines = await machinesOf(scenario, set);
      const phases = machines.map(({ status }) => status?.currentStatus?.phase);
      expect(phases).toEqual(Array.from({ length: count }, () => 'Running'));
      const { status: seen } = await readSet(scenario, set);
      expect(seen).toMatchObject({ replicas: count, availableReplicas: count });
      expect(await cloud.instances()).toHaveLength(count);
    });
    await untilRecorded(count);
  }

  async function untilRecorded(count: number): Promise<Moment> {
    const isSo = ({ total, available }: State): boolean => total === count && available === count;
    return await recorder.markWhen(`${count} machines, all available, are recorded`, isSo);
  }

  /** So many names ever, and one VM for each. */
  async function expectMade(count: number): Promise<void> {
    expect(recorder.machineNames.size).toBe(count);
    const { createsPerName, machinesPerToken } = await cloud.calls();
    expect(Object.keys(createsPerName).toSorted()).toEqual([...recorder.machineNames].toSorted());
    expect(Object.values(createsPerName)).toEqual(Array.from({ length: count }, () => 1));
    expect(machinesPerToken.offenders).toEqual({});
  }
}
