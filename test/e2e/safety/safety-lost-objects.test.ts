/** Workflows whose object is gone, and objects whose workflow no watcher has signalled. */
import type { WorkflowReport } from '../../../workflows/contracts/safety-activities.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { runCheck } from '../support/checks.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, machinesOf, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

describe('the check of entities', () => {
  // Runs are started by hand only.
  const workerFlags = ['--safety-entities-period=24h'];
  const scenario = useScenario('left-over', { isDoubled: false, workerFlags });
  const { cluster, cloud, workflows, operator, namespace } = scenario;

  async function audit(): Promise<WorkflowReport> {
    const run = await runCheck(workflows, 'lost-workflows');
    const report: WorkflowReport = await run.result();
    return report;
  }

  test('ends the workflow of an object that went while no watcher looked, and leaves its instance', async () => {
    const name = await createMachine(scenario, 'lost');
    await untilPhase(scenario, name, 'Running');
    await operator.retire('watcher');
    await cluster.patch('machines', name, { metadata: { finalizers: null } });
    await cluster.delete(cluster.pathOf('machines', name));
    await untilGone(scenario, cluster.pathOf('machines', name));
    const id = workflowIdOf('machine', { namespace, name });
    expect(await audit()).toMatchObject({
      healed: 1,
      entities: [{ kind: 'machine', name, why: 'its object is gone: signalled' }],
    });
    await eventually('its workflow has ended', async () => {
      expect(await workflows.running()).not.toContain(id);
    });
    const [instance] = await cloud.instances();
    expect(instance?.name).toBe(name);
    if (instance) await cloud.delete(instance.id);
    const node = `/api/v1/nodes/${name}`;
    await cluster.kube.patch(node, 'merge', { metadata: { finalizers: null } });
    await cluster.delete(node);
  });

  test('starts workflows of objects that no watcher has signalled', async () => {
    expect(await machinesOf(scenario, namespace)).toEqual([]);
    const name = await createMachine(scenario, 'untold');
    expect(await audit()).toMatchObject({
      healed: 1,
      entities: [{ kind: 'machine', name, isHealed: true }],
    });
    operator.startStandby();
    await untilPhase(scenario, name, 'Running');
    expect(await cloud.instances()).toHaveLength(1);
  });
});
