/**
 * Drains that do not end: made, found and healed by the commands of their runbook.
 * `runbook-volumes` and most other runbooks are for the night.
 */
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { untilExplained } from '../support/runbook-findings.ts';
import { Runbook } from '../support/runbook.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

describe('the runbook of a drain', () => {
  const scenario = useScenario('runbook-drains');
  const { cluster, namespace } = scenario;
  const workloads = new Workloads(scenario);

  const pathOf = (name: string): string => cluster.pathOf('machines', name);

  /** Its pod may not leave, and it is to go. */
  async function guarded(app: string): Promise<{ name: string; page: Runbook }> {
    const name = await createMachine(scenario, app);
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app, nodeName: name });
    await workloads.guard(app, { app, minAvailable: 1 });
    await cluster.delete(pathOf(name));
    const page = await Runbook.of(scenario, 'drain-budget', {
      MACHINE: name,
      APP_NAMESPACE: namespace,
      BUDGET: app,
    });
    return { name, page };
  }

  test('that a budget blocks: more time, a budget that allows it, or force', async () => {
    const drains = await Promise.all(['allowed', 'forced', 'skipped'].map(guarded));
    const [allowed, forced, skipped] = drains;
    for (const { name, page } of drains) {
      const budget = name.slice(namespace.length + 1);
      await untilExplained(page, {
        trouble: 'drain-budget',
        object: `machine/${name}`,
        cause: `PodDisruptionBudget ${namespace}/${budget}`,
        way: `millwright force-delete machine/${name}`,
      });
    }
    const seen = await allowed?.page.run('Look');
    expect(seen).toMatch(new RegExp(`^${namespace} +allowed-[^ ]+ +1/1 `, 'm'));
    await allowed?.page.run('Give the pods more time');
    await eventually('the drain has more time', async () => {
      const { metadata } = await cluster.machine(allowed?.name ?? '');
      expect(metadata.annotations).toHaveProperty(['millwright.dev/drain-until']);
    });
    await allowed?.page.run('Let the budget allow it');
    await forced?.page.run('Delete the pods without asking the budget');
    await skipped?.page.run('Delete the instance with the pods on it');
    for (const { name } of drains) await untilGone(scenario, pathOf(name));
    for (const app of ['allowed', 'forced', 'skipped']) {
      await cluster.delete(workloads.budgets(app));
      await workloads.end(app);
    }
  });
});
