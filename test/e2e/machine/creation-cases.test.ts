/**
 * Creations that are not over with the create: an instance to be initialized, or one that another
 * machine has.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { labels } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { classManifest, machineManifest } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

describe('a creation', () => {
  const scenario = useScenario('creation');
  const { cluster, cloud, namespace } = scenario;

  test('of an instance that needs initialization has that done, however often it takes', async () => {
    const providerSpec = { needsInitialization: true };
    await cluster.create(
      'machineclasses',
      classManifest({ namespace, name: 'raw' }, { providerSpec }),
    );
    await cloud.addFault({
      operation: 'initialize',
      kind: 'error',
      code: 'Internal',
      message: 'no',
    });
    const spec = { class: { kind: 'MachineClass', name: 'raw' } };
    const name = await createMachine(scenario, 'raw', spec);
    await eventually('lastOperation says why', async () => {
      expect((await cluster.machine(name)).status).toMatchObject({
        currentStatus: { phase: 'CrashLoopBackOff' },
        lastOperation: {
          description:
            'Initializing the instance failed - machine codes error: code = [Internal] message = [no]',
          errorCode: 'Internal',
          state: 'Failed',
          type: 'Create',
        },
      });
    });
    await cloud.clearFaults();
    await untilPhase(scenario, name, 'Running');
    expect((await cloud.calls()).createsPerName[name]).toBe(1);
    expect(await cloud.count('initialize', 'ok')).toBe(1);
    await deleteMachine(scenario, name);
  });

  test('a Machine that names the instance of another one is refused, and takes nothing away from it', async () => {
    const first = await createMachine(scenario, 'first');
    const { spec, metadata } = await untilPhase(scenario, first, 'Running');
    const second = scenario.named('second');
    await cluster.create('machines', {
      ...machineManifest(second, { ...(spec.providerID && { providerID: spec.providerID }) }),
      metadata: { ...second, labels: { [labels.node]: first } },
    });
    await eventually('lastOperation says so', async () => {
      const { status } = await cluster.machine(second.name);
      expect(status).toMatchObject({
        currentStatus: { phase: 'CrashLoopBackOff' },
        lastOperation: {
          errorCode: 'FailedPrecondition',
          description: expect.stringContaining('it is neither used nor deleted'),
        },
      });
    });
    const before = await cluster.kube.get<KubeObject>(nodePath(first));
    await deleteMachine(scenario, second.name);
    expect(await cluster.kube.get(nodePath(first))).toMatchObject({
      metadata: { uid: before.metadata.uid, labels: { [labels.machineName]: first } },
    });
    expect((await cloud.instances()).map(({ name }) => name)).toEqual([first]);
    expect((await untilPhase(scenario, first, 'Running')).metadata.uid).toBe(metadata.uid);
    await deleteMachine(scenario, first);
  });
});
