/**
 * An instance without a Machine keeps the last class that leads to it: its credentials are needed.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilGone, untilPhase } from '../support/machines.ts';
import { classManifest, className } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

describe('an instance', () => {
  // Runs are started by hand only.
  const scenario = useScenario('last-class', {
    isDoubled: false,
    workerFlags: ['--machine-safety-orphan-vms-period=24h'],
  });
  const { cloud, cluster, workflows, namespace } = scenario;

  test('keeps the last class that leads to it until it is gone', async () => {
    const name = await createMachine(scenario, 'last');
    await untilPhase(scenario, name, 'Running');
    const { id, providerID } = await cloud.create(scenario.named('kept-alive').name, {
      'millwright.dev/cluster': await cluster.uid(),
      'millwright.dev/namespace': namespace,
    });
    const path = cluster.pathOf('machineclasses', className);
    await cluster.delete(path);
    await deleteMachine(scenario, name);
    await eventually('the page of the class says why it stays', async () => {
      const { details } = await workflows.pageOf('machineClass', className);
      expect(details).toContain(
        `1 instances without a Machine need its credentials: ${providerID}`,
      );
    });
    expect((await cluster.kube.get<KubeObject>(path)).metadata.finalizers).toEqual([
      finalizers.machine,
    ]);
    await cloud.delete(id);
    await untilGone(scenario, path);
    await cluster.create('machineclasses', classManifest({ namespace, name: className }));
  });
});
