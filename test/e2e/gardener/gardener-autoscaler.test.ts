/**
 * Gardener's cluster autoscaler lowers and raises the number, and names the machines that go.
 * `gardener-autoscaler-more` has the older ways to say so, by night.
 */
import { annotations } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { controllerDeployment } from '../support/gardener-autoscaler.ts';
import {
  autoscalerOf,
  describeScaleDown,
  expectNoReplacement,
  tolerates,
} from '../support/gardener-scale-down.ts';
import { machinesOf } from '../support/machines.ts';
import { className } from '../support/manifests.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { untilCondition } from '../support/rollouts.ts';
import { Workloads } from '../support/workloads.ts';

const rollouts = useRollouts('gardener');
const { cluster, cloud, namespace } = rollouts.scenario;
const workloads = new Workloads(rollouts.scenario);

afterEach(() => cluster.delete(`/apis/apps/v1/namespaces/${namespace}/deployments`));

describe('scaling up', () => {
  test('is written again after a conflict', async () => {
    const rollout = await rollouts.begin({ replicas: 1 });
    const autoscaler = autoscalerOf(rollout);
    autoscaler.meanwhile = () => rollout.annotate({ 'example.com/touched': 'yes' });
    await autoscaler.increaseSize(2);
    expect(autoscaler.conflicts).toBe(1);
    expect(await autoscaler.targetSize()).toBe(3);
    await rollout.expectEnd({ class: className, replicas: 3 });
    expect((await autoscaler.nodes()).map(({ state }) => state)).toEqual(
      Array.from({ length: 3 }, () => 'running'),
    );
  });

  test('backs off when the cloud is out of resources, and takes the request back', async () => {
    const rollout = await rollouts.begin({ replicas: 1 });
    const autoscaler = autoscalerOf(rollout);
    await cloud.addFault({ kind: 'quota' });
    await autoscaler.increaseSize(1);
    const requested = await eventually('the request is told to be out of resources', async () => {
      const instance = (await autoscaler.nodes()).find(({ id }) => id.startsWith('requested://'));
      expect(instance).toMatchObject({ state: 'creating' });
      expect(instance?.outOfResources).toContain('ResourceExhausted');
      return instance?.id.replace('requested://', '') ?? '';
    });
    // A machine that waits for its retry is no Failed one, so it may be named; and this deployment
    // is under way, which the autoscaler does not ask for before it gives a request back.
    const machine = await cluster.machine(requested);
    expect(machine.status?.currentStatus?.phase).toBe('CrashLoopBackOff');
    await autoscaler.giveBack([requested]);
    expect(await rollout.expectEnd({ class: className, replicas: 1 })).toEqual(
      rollout.firstMachines,
    );
    await cloud.clearFaults();
    expectNoReplacement(rollout, 1);
  });
});

describeScaleDown(rollouts, 'timed');

describe('in a rollout', () => {
  test('it scales up, refuses to scale down, and finds the Nodes kept', async () => {
    const rollout = await rollouts.begin({ replicas: 2 });
    const autoscaler = autoscalerOf(rollout);
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass);
    await untilCondition(rollout.scenario, rollout.name, { reason: 'MachineSetUpdated' });
    const refusal = `MachineDeployment ${rollout.name} is under rolling update`;
    await expect(autoscaler.decreaseTargetSize(1)).rejects.toThrow(refusal);
    await expect(autoscaler.deleteNodes(rollout.firstMachines)).rejects.toThrow(refusal);
    await eventually('its Nodes are kept', async () => {
      const notes = (await cluster.nodes()).map(({ metadata }) => metadata.annotations ?? {});
      expect(notes.map((all) => all[annotations.scaleDownDisabled])).toEqual(['true', 'true']);
    });
    await autoscaler.increaseSize(1);
    await rollout.recorder.markWhen('the surge is filled', ({ total }) => total === 4);
    await cloud.clearFaults();
    for (const { metadata } of await machinesOf(rollout.scenario, rollout.name)) {
      if (rollout.firstMachines.includes(metadata.name)) continue;
      await cluster.delete(cluster.pathOf('machines', metadata.name));
    }
    await rollout.expectEnd({ class: secondClass, replicas: 3 });
    // The two that were deleted here count until they are gone.
    rollout.recorder.expectBounds({ maxTotal: 4 + 2, minAvailable: 2 });
  });
});

test('it stands still until the Deployment that it looks for is available', async () => {
  const rollout = await rollouts.begin({ replicas: 1 });
  const autoscaler = autoscalerOf(rollout);
  await expect(autoscaler.refresh()).rejects.toThrow('machine-controller-manager is offline');
  const [nodeName = ''] = rollout.firstMachines;
  await workloads.start({ app: controllerDeployment, nodeName, tolerates });
  await eventually('the autoscaler works', () => autoscaler.refresh());
  await workloads.end(controllerDeployment);
});
