/** Rounds look whether a run of a check is needed, and trigger its Schedule. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import type { NodeObject } from '../support/cluster.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  managedLabel,
  regularChecks,
  runsOf,
  untilChecked,
  useRoundsPool,
} from '../support/rounds-scenario.ts';
import { deleteDeployment } from '../support/machines.ts';

describe('an install with a round each second', () => {
  const { scenario, name: pool } = useRoundsPool('rounds');
  const { cluster, workflows, namespace } = scenario;

  test('starts no run where there is nothing to do', async () => {
    // The creation of the pool may have been something to do, as lists of workflows lag behind.
    const last = { more: 2, outcome: 'nothing' };
    await Promise.all(regularChecks.map((check) => untilChecked(scenario, { check, ...last })));
    const before = await Promise.all(regularChecks.map((check) => runsOf(scenario, check)));
    const more = { more: 4, outcome: 'nothing' };
    await Promise.all(regularChecks.map((check) => untilChecked(scenario, { check, ...more })));
    const after = await Promise.all(regularChecks.map((check) => runsOf(scenario, check)));
    expect(after).toEqual(before);
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
