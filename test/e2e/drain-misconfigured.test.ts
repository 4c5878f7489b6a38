/** Budgets that can never allow an eviction: named, and not asked all the time. */
import { operatorRequests } from './support/audit.ts';
import { attemptsOf, untilDrainFailureSays } from './support/drain-attempts.ts';
import { eventually } from './support/eventually.ts';
import { createMachine, untilGone, untilPhase } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';
import { Workloads } from './support/workloads.ts';

describe('a drain that is blocked', () => {
  const scenario = useScenario('misconfigured', { isDoubled: false });
  const { cluster, namespace } = scenario;
  const workloads = new Workloads(scenario);

  const pathOf = (name: string): string => cluster.pathOf('machines', name);

  /** Milliseconds between the last eviction of its pod that was asked so far and the next one. */
  async function untilAskedAgain(app: string): Promise<number> {
    const wanted = { verb: 'create', resource: 'pods/eviction', start: app } as const;
    const before = await operatorRequests(namespace, wanted);
    return await eventually(`the pod of ${app} was asked again`, async () => {
      const next = (await operatorRequests(namespace, wanted))[before.length];
      expect(next).toBeDefined();
      return (next?.at ?? 0) - (before.at(-1)?.at ?? 0);
    });
  }

  test('by a budget that never can allow, or by two budgets, is named and asked rarely', async () => {
    const name = await createMachine(scenario, 'never');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'zero', nodeName: name });
    await workloads.guard('zero', { app: 'zero', maxUnavailable: 0 });
    await workloads.start({ app: 'twice', nodeName: name });
    await workloads.guard('twice-a', { app: 'twice', minAvailable: 1 });
    await workloads.guard('twice-b', { app: 'twice', minAvailable: 1 });
    await cluster.delete(pathOf(name));
    await untilDrainFailureSays(scenario, name, `${namespace}/zero is misconfigured`);
    await untilDrainFailureSays(
      scenario,
      name,
      `${namespace}/twice-a, ${namespace}/twice-b; keep one of them`,
    );
    // The answer comes after the workflow task of the last report.
    const drain = await scenario.workflows.handleOf('machine', name).query('drain');
    expect(drain).toMatchObject({ isBlocked: true, blockerCount: 2 });
    const before = await attemptsOf(scenario, name);
    for (const pause of await Promise.all(['zero', 'twice'].map(untilAskedAgain)))
      expect(pause).toBeGreaterThanOrEqual(20_000);
    expect((await attemptsOf(scenario, name)).events).toBe(before.events);
    const force = { metadata: { labels: { 'force-deletion': 'True' } } };
    await cluster.patch('machines', name, force);
    await untilGone(scenario, pathOf(name));
    for (const budget of ['zero', 'twice-a', 'twice-b']) {
      await cluster.delete(workloads.budgets(budget));
    }
    await workloads.end('zero');
    await workloads.end('twice');
  });
});
