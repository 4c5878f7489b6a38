/**
 * Blocked drains: what they cost while they wait, and that they go on when their
 * PodDisruptionBudget changes.
 */
import { operatorWrites } from '../support/audit.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

interface DrainSeen {
  isBlocked: boolean;
  blockers: { nextTryAt?: number }[];
}

/**
 * By itself a blocked drain tries again later than this: enough to tell the one from the other on a
 * busy machine.
 */
const restMilliseconds = 10_000;

describe('a drain that a budget blocks', () => {
  const scenario = useScenario('budgets', { isDoubled: true });
  const { cluster, namespace, workflows } = scenario;
  const { kube } = cluster;
  const workloads = new Workloads(scenario);

  const pathOf = (name: string): string => cluster.pathOf('machines', name);

  /** A machine with one pod of an app. */
  async function machineWith(app: string): Promise<string> {
    const name = await createMachine(scenario, app);
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app, nodeName: name });
    return name;
  }

  async function untilBlocked(name: string): Promise<void> {
    await eventually(`the drain of ${name} is blocked`, async () => {
      const { drainNode } = await workflows.pendingFailures('machine', name);
      expect(drainNode).toContain('PodDisruptionBudget');
    });
  }

  /** So that what happens next was not its time anyway. Returns when that is, in milliseconds. */
  async function untilItRests(name: string): Promise<number> {
    return await eventually(`the next try of ${name} is some time away`, async () => {
      const seen = await workflows.handleOf('machine', name).query<DrainSeen>('drain');
      expect(seen).toMatchObject({ isBlocked: true });
      const { raw } = await workflows.handleOf('machine', name).describe();
      const { seconds = 0 } = raw.pendingActivities?.[0]?.nextAttemptScheduleTime ?? {};
      const nextTryAt = Number(seconds) * 1_000;
      expect(nextTryAt).toBeGreaterThan(Date.now() + restMilliseconds);
      return nextTryAt;
    });
  }

  /** Pods have left or are on their way. Returns when that was seen, in milliseconds. */
  async function untilEvicted(name: string, app: string): Promise<number> {
    return await eventually(`${app} leaves ${name}`, async () => {
      const pods = await workloads.podsOn(name, app);
      const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      expect(staying).toEqual([]);
      return Date.now();
    });
  }

  async function patchBudget(name: string, spec: object): Promise<void> {
    await kube.patch(workloads.budgets(name), 'merge', { spec });
  }

  test.each<{ app: string; budgets: object[]; change: (app: string) => Promise<void> }>([
    {
      app: 'deleted',
      budgets: [{ minAvailable: 1 }],
      change: (app) => cluster.delete(workloads.budgets(`${app}-0`)),
    },
    {
      app: 'mended',
      budgets: [{ maxUnavailable: 0 }],
      change: (app) => patchBudget(`${app}-0`, { maxUnavailable: 1 }),
    },
    {
      app: 'moved',
      budgets: [{ minAvailable: 1 }],
      change: (app) => patchBudget(`${app}-0`, { selector: { matchLabels: { app: 'none' } } }),
    },
    {
      app: 'single',
      budgets: [{ minAvailable: 0 }, { minAvailable: 0 }],
      change: (app) => cluster.delete(workloads.budgets(`${app}-1`)),
    },
  ])('goes on at once when its budget is $app', async ({ app, budgets, change }) => {
    const name = await machineWith(app);
    for (const [index, limits] of budgets.entries()) {
      await workloads.guard(`${app}-${index}`, { app, ...limits });
    }
    await cluster.delete(pathOf(name));
    await untilBlocked(name);
    const nextTryAt = await untilItRests(name);
    await change(app);
    expect(await untilEvicted(name, app)).toBeLessThan(nextTryAt);
    await untilGone(scenario, pathOf(name));
    for (const index of budgets.keys()) await cluster.delete(workloads.budgets(`${app}-${index}`));
    await workloads.end(app);
  });

  test('is woken alone when the budget allows one disruption and blocks two', async () => {
    const names = [await machineWith('one'), await machineWith('two')];
    for (const name of names) {
      const [pod] = await workloads.podsOn(name, name.endsWith('one') ? 'one' : 'two');
      const path = `/api/v1/namespaces/${namespace}/pods/${pod?.metadata.name}`;
      await kube.patch(path, 'merge', { metadata: { labels: { group: 'both' } } });
    }
    await kube.create(workloads.budgets(), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'both' },
      spec: { minAvailable: 2, selector: { matchLabels: { group: 'both' } } },
    });
    for (const name of names) {
      await cluster.delete(pathOf(name));
      await untilBlocked(name);
    }
    const [first = '', second = ''] = names;
    await untilItRests(second);
    const nextTryAt = await untilItRests(first);
    await patchBudget('both', { minAvailable: 1 });
    expect(await untilEvicted(first, 'one')).toBeLessThan(nextTryAt);
    await untilGone(scenario, pathOf(first));
    expect(await workloads.podsOn(second, 'two')).toHaveLength(1);
    await cluster.delete(workloads.budgets('both'));
    await untilGone(scenario, pathOf(second));
    for (const app of ['one', 'two']) await workloads.end(app);
  });

  test('costs no history event and at most one write a try, however often it tries', async () => {
    const name = await machineWith('costs');
    await workloads.guard('costs', { app: 'costs', minAvailable: 1 });
    await cluster.delete(pathOf(name));
    await untilBlocked(name);
    await untilItRests(name);
    const handle = workflows.handleOf('machine', name);
    const { historyLength: before } = await handle.describe();
    const writesBefore = (await operatorWrites(namespace)).length;
    const tries = 15;
    for (let tried = 0; tried < tries; tried += 1) await workflows.resetDrain(name);
    expect((await handle.describe()).historyLength).toBe(before);
    const writes = (await operatorWrites(namespace)).slice(writesBefore);
    expect(writes.filter((write) => !write.includes('/eviction'))).toEqual([]);
    expect(writes.length).toBeLessThanOrEqual(tries);
    expect(writes.length).toBeGreaterThan(tries / 2);
    await cluster.delete(workloads.budgets('costs'));
    await untilGone(scenario, pathOf(name));
    const history = await handle.fetchHistory();
    const said = (history.events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes }) => {
      return workflowExecutionSignaledEventAttributes?.signalName ?? [];
    });
    // It was blocked, and then it was not.
    expect(said.filter((signal) => signal === 'drainReport')).toHaveLength(2);
    await workloads.end('costs');
  });
});
