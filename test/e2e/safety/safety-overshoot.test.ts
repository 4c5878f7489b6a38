/** Somebody else makes machines for a set. */
import type { OvershootReport } from '../../../workflows/contracts/safety-activities.ts';
import { apiVersion } from '../../../workflows/api/constants.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { runCheck } from '../support/checks.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  deleteDeployment,
  machinesOf,
  untilRunning,
} from '../support/machines.ts';
import { machineManifest } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

describe('the check for too many machines', () => {
  const scenario = useScenario('overshoot', {
    // Only by hand, and nothing starts the workflow again that is terminated.
    workerFlags: ['--machine-safety-overshooting-period=24h', '--safety-entities-period=24h'],
    causes: [/^machineSet\/.*: TERMINATED$/],
  });
  const { cluster, workflows, namespace } = scenario;

  async function audit(): Promise<OvershootReport> {
    const run = await runCheck(workflows, 'overshoot');
    const report: OvershootReport = await run.result();
    return report;
  }

  /** As another controller would that takes itself for the owner. */
  async function addMachine(set: MachineSet, name: string): Promise<void> {
    const { name: owner, uid } = set.metadata;
    const manifest = machineManifest({ namespace, name });
    await cluster.create('machines', {
      ...manifest,
      metadata: {
        name,
        namespace,
        labels: set.spec.template?.metadata?.labels,
        ownerReferences: [{ apiVersion, kind: 'MachineSet', name: owner, uid, controller: true }],
      },
    });
  }

  async function setOf(pool: string): Promise<MachineSet> {
    const sets = await cluster.sets();
    const set = sets.find(({ metadata }) => metadata.name.startsWith(pool));
    if (!set) throw new Error(`${pool} has no set`);
    return set;
  }

  test('freezes a set and its deployment, and thaws them when that is over', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
    expect(await audit()).toMatchObject({ sets: 1, frozen: 0, changed: [] });
    const set = await setOf(pool);
    const { name } = set.metadata;
    // It would delete them at once: nobody looks after the set for a while.
    await workflows.terminate(workflowIdOf('machineSet', { namespace, name }));
    for (const end of ['x1', 'x2', 'x3']) await addMachine(set, `${pool}-${end}`);
    // Nothing is frozen within a minute after a pause, and it is one when the worker starts 10 s
    // after the watcher, as on a busy machine.
    await eventually('the check freezes the set', async () => {
      expect(await audit()).toMatchObject({
        frozen: 1,
        changed: [
          { kind: 'machineSet', name, action: 'freeze' },
          { kind: 'machineDeployment', name: pool, action: 'freeze' },
        ],
      });
    });
    await untilEvent(
      scenario,
      { kind: 'MachineSet', name },
      {
        reason: 'FrozeMachineSet',
        message: `SafetyController: Froze MachineSet ${name} due to replica overshooting`,
      },
    );
    const deployment = await cluster.deployment(pool);
    expect(deployment.metadata.labels).toMatchObject({ freeze: 'True' });
    expect(deployment.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Frozen', status: 'True' }),
    );
    // The change of its label has started its workflow again, which deletes what is too much.
    await eventually('one machine is left', async () => {
      expect(await machinesOf(scenario, pool)).toHaveLength(1);
    });
    expect(await audit()).toMatchObject({ frozen: 0, changed: [{ action: 'unfreeze' }, {}] });
    const thawed = await setOf(pool);
    expect(thawed.metadata.labels).not.toHaveProperty('freeze');
    expect(thawed.status?.machineSetCondition ?? []).not.toContainEqual(
      expect.objectContaining({ type: 'Frozen' }),
    );
    await cluster.scale(pool, 2);
    await untilRunning(scenario, pool, 2);
    await deleteDeployment(scenario, pool);
  });

  test('a frozen set makes no machines; a large scale-down freezes nothing', async () => {
    const pool = await createDeployment(scenario, 'shrinks', { replicas: 6 });
    await untilRunning(scenario, pool, 6);
    await cluster.scale(pool, 1);
    expect(await audit()).toMatchObject({ frozen: 0, changed: [] });
    await untilRunning(scenario, pool, 1);
    const { name } = (await setOf(pool)).metadata;
    await cluster.patch('machinesets', name, { metadata: { labels: { freeze: 'True' } } });
    await cluster.scale(pool, 2);
    await eventually('the set says why it waits', async () => {
      const { details } = await workflows.pageOf('machineSet', name);
      expect(details).toContain('freeze=True allows no new ones');
    });
    expect(await machinesOf(scenario, pool)).toHaveLength(1);
    expect(await audit()).toMatchObject({ changed: [{ name, action: 'unfreeze' }] });
    await untilRunning(scenario, pool, 2);
    await deleteDeployment(scenario, pool);
  });
});
