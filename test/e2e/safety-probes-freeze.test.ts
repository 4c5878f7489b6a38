/** A probe has a run freeze a set that has too many machines, and thaw it; a paused check rests. */
import { apiVersion } from '../../workflows/api/constants.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { untilEvent } from './support/events.ts';
import { deleteDeployment, untilRunning } from './support/machines.ts';
import { machineManifest } from './support/manifests.ts';
import { runsOf, untilProbes, useProbedPool } from './support/probing-scenario.ts';

describe('a worker that probes every second or two', () => {
  const { scenario, name: pool } = useProbedPool('freezes');
  const { cluster, workflows, namespace } = scenario;

  async function setOf(name: string): Promise<MachineSet> {
    const sets = await cluster.sets();
    const set = sets.find(({ metadata }) => metadata.name.startsWith(name));
    if (!set) throw new Error(`${name} has no set`);
    return set;
  }

  test('leaves a paused check alone, and has a run freeze and thaw a set', async () => {
    await workflows.scheduleOf('lost-workflows').pause('looking into it (Kim)');
    await workflows.scheduleOf('overshoot').pause('looking into it (Kim)');
    await untilProbes(scenario, { check: 'lost-workflows', more: 2 });
    const before = [await runsOf(scenario, 'lost-workflows'), await runsOf(scenario, 'overshoot')];
    const set = await setOf(pool());
    const { name, uid } = set.metadata;
    await workflows.terminate(workflowIdOf('machineSet', { namespace, name }));
    for (const end of ['x1', 'x2', 'x3']) {
      const manifest = machineManifest({ namespace, name: `${pool()}-${end}` });
      await cluster.create('machines', {
        ...manifest,
        metadata: {
          name: `${pool()}-${end}`,
          namespace,
          labels: set.spec.template?.metadata?.labels,
          ownerReferences: [{ apiVersion, kind: 'MachineSet', name, uid, controller: true }],
        },
      });
    }
    await untilProbes(scenario, { check: 'overshoot', more: 2, outcome: 'found' });
    await untilProbes(scenario, { check: 'lost-workflows', more: 2, outcome: 'found' });
    const after = [await runsOf(scenario, 'lost-workflows'), await runsOf(scenario, 'overshoot')];
    expect(after.map(({ taken }) => taken)).toEqual(before.map(({ taken }) => taken));
    expect((await setOf(pool())).metadata.labels).not.toHaveProperty('freeze');
    await workflows.scheduleOf('overshoot').unpause('done');
    const of = { kind: 'MachineSet', name };
    await untilEvent(scenario, of, { reason: 'FrozeMachineSet' });
    await workflows.scheduleOf('lost-workflows').unpause('done');
    // Its workflow deletes what is too much.
    await untilEvent(scenario, of, { reason: 'UnfrozeMachineSet' });
    await untilRunning(scenario, pool(), 1);
    await deleteDeployment(scenario, pool());
  });
});
