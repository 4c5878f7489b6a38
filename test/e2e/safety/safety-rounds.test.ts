/** Workers probe whether a run of a check is needed, and trigger its Schedule. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import type { NodeObject } from '../support/cluster.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  managedLabel,
  probedChecks,
  runsOf,
  untilProbes,
  useProbedPool,
} from '../support/rounds-scenario.ts';
import { deleteDeployment } from '../support/machines.ts';

describe('a worker that probes every second or two', () => {
  const { scenario, name: pool } = useProbedPool('probes');
  const { cluster, workflows, namespace } = scenario;

  test('starts no run where there is nothing to do', async () => {
    // The creation of the pool may have been something to do, as lists of workflows lag behind.
    const last = { more: 2, outcome: 'nothing' };
    await Promise.all(probedChecks.map((check) => untilProbes(scenario, { check, ...last })));
    const before = await Promise.all(probedChecks.map((check) => runsOf(scenario, check)));
    const probes = { more: 4, outcome: 'nothing' };
    await Promise.all(probedChecks.map((check) => untilProbes(scenario, { check, ...probes })));
    const after = await Promise.all(probedChecks.map((check) => runsOf(scenario, check)));
    for (const [index, { taken, next }] of before.entries()) {
      // A run every 6 hours is the Schedule's own.
      const own = next !== undefined && next < new Date() ? 1 : 0;
      expect(after[index]?.taken).toBe(taken + own);
    }
  });

  test('has a run start the workflow that somebody terminated', async () => {
    const id = workflowIdOf('machineDeployment', { namespace, name: pool() });
    await workflows.terminate(id);
    await untilEvent(
      scenario,
      { kind: 'MachineDeployment', name: pool() },
      {
        reason: 'WorkflowRestored',
      },
    );
    await eventually('it runs', async () => expect(await workflows.running()).toContain(id));
  });

  test('has a run mark a Node that no Machine knows of', async () => {
    const lost = scenario.named('lost').name;
    await cluster.kube.create(nodePath(), {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: lost, labels: { [managedLabel]: 'yes' } },
    });
    await eventually('it is marked', async () => {
      const { metadata } = await cluster.kube.get<NodeObject>(nodePath(lost));
      expect(metadata.annotations).toMatchObject({ [annotations.notManaged]: '1' });
    });
    await cluster.delete(nodePath(lost));
    await deleteDeployment(scenario, pool());
  });
});
