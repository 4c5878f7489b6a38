/** Fifty drains that a PodDisruptionBudget blocks at once stand in the way of nobody else. */
import { namespaced } from '../../../kube/client/paths.ts';
import { evictedPods } from '../support/audit.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

const blockedDrains = 50;
/** Far fewer than there are blocked drains: one that held a slot would stop all others. */
const slots = 4;

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('many drains', () => {
  const scenario = useScenario('many', {
    isDoubled: false,
    workerFlags: [`--concurrent-syncs=${slots}`],
  });
  const { cluster, cloud, namespace, workflows } = scenario;
  const workloads = new Workloads(scenario);

  /** Running machines with a pod each. Returns their names. */
  async function occupied(prefix: string, count: number, app: string): Promise<string[]> {
    const names = await Promise.all(
      named(prefix, count).map((short) => createMachine(scenario, short)),
    );
    await eventually(`${count} machines run`, async () => {
      const phases = await cluster.phases();
      expect(names.filter((name) => phases[name] !== 'Running')).toEqual([]);
    });
    await Promise.all(names.map((nodeName) => workloads.startAlone({ app, nodeName })));
    await eventually(`the pods of ${app} run`, async () => {
      const pods = await podsOf(app);
      expect(pods.map(({ status }) => status?.phase)).toEqual(names.map(() => 'Running'));
    });
    return names;
  }

  async function podsOf(app: string) {
    const query = { labelSelector: `app=${app}` };
    return await cluster.list<{ status?: { phase?: string } }>(
      namespaced('pods', namespace),
      query,
    );
  }

  async function deleteAll(names: string[]): Promise<void> {
    await Promise.all(names.map((name) => cluster.delete(cluster.pathOf('machines', name))));
  }

  async function expectBlocked(names: string[]): Promise<void> {
    const ids = names.map((name) => `machine/${namespace}/${name}`).toSorted();
    const budget = `PodDisruptionBudget/${namespace}/held`;
    const query = `State="DrainBlocked" and BlockedBy="${budget}"`;
    expect(await workflows.running(query)).toEqual(ids);
  }

  /** How many the workflow of each machine has. Others may be ending. */
  async function eventsOf(names: string[]): Promise<number[]> {
    const handles = names.map((name) => workflows.handleOf('machine', name));
    const described = await Promise.all(handles.map((handle) => handle.describe()));
    return described.map(({ historyLength }) => historyLength);
  }

  /** The search finds a blocked drain before its workflow has written all that it has to. */
  async function untilNoEventsCome(names: string[]): Promise<number[]> {
    let last: number[] = [];
    const look = async (): Promise<number[]> => {
      const before = last;
      last = await eventsOf(names);
      expect(last).toEqual(before);
      return last;
    };
    return await eventually('no history grows', look, { pollMilliseconds: 5_000 });
  }

  /** Machines whose pods of an app were evicted, sorted. */
  async function evicted(app: string): Promise<string[]> {
    const pods = await evictedPods(namespace, app);
    return pods.map((name) => name.slice(`${app}-`.length)).toSorted();
  }

  test(`of which ${blockedDrains} are blocked: others are created, drained and deleted meanwhile`, async () => {
    const held = await occupied('held', blockedDrains, 'held');
    await workloads.guard('held', { app: 'held', minAvailable: blockedDrains });
    await deleteAll(held);
    await eventually('all are blocked', () => expectBlocked(held));
    const before = await untilNoEventsCome(held);

    const others = await occupied('other', slots + 2, 'free');
    await deleteAll(others);
    for (const name of others) await untilGone(scenario, cluster.pathOf('machines', name));
    await expectBlocked(held);
    expect(await evicted('free')).toEqual(others.toSorted());
    expect(await evicted('held')).toEqual([]);
    expect(await cloud.instances()).toHaveLength(blockedDrains);
    await eventually('each blocked one has tried again', async () => {
      for (const name of held) {
        const { raw } = await workflows.handleOf('machine', name).describe();
        expect(raw.pendingActivities?.[0]?.attempt).toBeGreaterThan(1);
      }
    });
    expect(await eventsOf(held)).toEqual(before);

    const path = workloads.budgets('held');
    await cluster.kube.patch(path, 'merge', { spec: { minAvailable: 0 } });
    await eventually('all are gone', async () => expect(await cluster.machines()).toEqual([]));
    expect(await evicted('held')).toEqual(held.toSorted());
    await cluster.delete(path);
  });

  test('of which one is blocked: the worker dies, and others go on as before', async () => {
    const [held = ''] = await occupied('alone', 1, 'alone');
    await workloads.guard('alone', { app: 'alone', minAvailable: 1 });
    await deleteAll([held]);
    await eventually('it is blocked', async () => {
      const drain = await workflows.handleOf('machine', held).query('drain');
      expect(drain).toMatchObject({ isBlocked: true });
    });
    await scenario.operator.kill9('worker');
    const other = await createMachine(scenario, 'next');
    await untilPhase(scenario, other, 'Running');
    await deleteAll([other]);
    await untilGone(scenario, cluster.pathOf('machines', other));
    expect((await cloud.instances()).map(({ name }) => name)).toEqual([held]);
    await cluster.delete(workloads.budgets('alone'));
    await untilGone(scenario, cluster.pathOf('machines', held));
  });
});
