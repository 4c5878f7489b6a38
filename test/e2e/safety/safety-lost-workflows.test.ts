/**
 * Objects whose workflow was lost. `safety-lost-objects` has the workflows whose object was lost,
 * by night.
 */
import type { WorkflowReport } from '../../../workflows/contracts/safety-activities.ts';
import { deleteChecks, runCheck } from '../support/checks.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { untilComplete } from '../support/rollouts.ts';
import { useScenario } from '../support/scenario.ts';
import { ofObjects } from '../support/workflow-records.ts';

describe('the check of entities', () => {
  // Runs are started by hand only.
  const workerFlags = ['--safety-entities-period=24h'];
  const scenario = useScenario('entities', { isDoubled: false, workerFlags });
  const { cluster, cloud, workflows, operator } = scenario;

  async function audit(): Promise<WorkflowReport> {
    const run = await runCheck(workflows, 'lost-workflows');
    const report: WorkflowReport = await run.result();
    return report;
  }

  test('starts again what was terminated by hand, and nothing is made twice', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    const machines = await untilRunning(scenario, pool, 2);
    // Statuses that are still to be written would start a workflow again that was terminated.
    await untilComplete(scenario, pool);
    const before = await cloud.instances();
    // Temporal lists a workflow a moment after it has started.
    const ids = await eventually('all four are listed', async () => {
      const listed = await workflows.running(ofObjects);
      expect(listed).toHaveLength(4);
      return listed;
    });
    for (const id of ids) await workflows.terminate(id);
    await eventually('none runs', async () => {
      // On a busy machine the watcher still signals what was written before.
      for (const id of await workflows.running(ofObjects)) await workflows.terminate(id);
      expect(await workflows.running()).toEqual([]);
    });
    const report = await audit();
    expect(report).toMatchObject({ objects: 4, healed: 4, failed: 0 });
    expect(report.entities.map(({ why }) => why)).toEqual(
      Array.from({ length: 4 }, () => 'its workflow was terminated: started again'),
    );
    await eventually('they run again', async () => {
      expect(await workflows.running(ofObjects)).toEqual(ids);
    });
    for (const { metadata } of machines) {
      const of = { kind: 'Machine', name: metadata.name };
      await untilEvent(scenario, of, { reason: 'WorkflowRestored' });
    }
    await cluster.scale(pool, 3);
    const now = await untilRunning(scenario, pool, 3);
    const uids = now.map(({ metadata }) => metadata.uid);
    expect(uids).toEqual(expect.arrayContaining(machines.map(({ metadata }) => metadata.uid)));
    expect(await cloud.instances()).toEqual(expect.arrayContaining(before));
    await deleteDeployment(scenario, pool);
    // An object is gone before its workflow, which the check would take for a lost one.
    await eventually('their workflows have ended', async () => {
      expect(await workflows.running(ofObjects)).toEqual([]);
    });
    expect(await audit()).toMatchObject({ healed: 0, failed: 0, entities: [] });
  });

  test('takes everything up again when Temporal has lost it all', async () => {
    const pool = await createDeployment(scenario, 'kept', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    await cloud.addFault({ operation: 'create', kind: 'loseAnswer', times: 1 });
    await cloud.addFault({ operation: 'create', kind: 'throttle', times: 1_000 });
    const late = await createMachine(scenario, 'late');
    await eventually('its instance is there, though nobody knows', async () => {
      expect(await cloud.instances()).toHaveLength(3);
    });
    const before = await cluster.machines();
    await operator.retire('worker');
    await deleteChecks(workflows);
    // On a busy machine the watcher still signals what was written before, which starts them again.
    await eventually('nothing is left of it', async () => {
      for (const run of await workflows.list()) await workflows.forget(run);
      const left = await workflows.list();
      expect(left.map(({ workflowId }) => workflowId)).toEqual([]);
    });
    operator.startAgain('worker');
    const report = await audit();
    expect(report).toMatchObject({ objects: 5, healed: 5, failed: 0 });
    expect(report.entities[0]?.why).toContain('Temporal has forgotten it');
    await cloud.clearFaults();
    await untilPhase(scenario, late, 'Running');
    await untilRunning(scenario, pool, 2);
    const uidsOf = (machines: typeof before) => machines.map(({ metadata }) => metadata.uid);
    expect(uidsOf(await cluster.machines())).toEqual(uidsOf(before));
    expect(await cloud.instances()).toHaveLength(3);
    await deleteDeployment(scenario, pool);
    await deleteMachine(scenario, late);
  });
});
