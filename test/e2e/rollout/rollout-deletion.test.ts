/** The MachineDeployment is deleted in the middle of its rollout. */
import { deploymentManifest } from '../support/manifests.ts';
import { deleteDeployment, untilGone } from '../support/machines.ts';
import { eventually } from '../../support/eventually.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { deleteSet } from '../support/sets.ts';

const replicas = 6;

describe('a deployment that is deleted in the middle of its rollout', () => {
  const rollouts = useRollouts('deleted');
  const { scenario } = rollouts;
  const { cluster, cloud } = scenario;

  test('leaves nothing', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    const middle = await rollout.untilMiddle();
    await deleteDeployment(scenario, rollout.name);
    await eventually('no VM and no Node is left', async () => {
      expect(await cloud.instances()).toEqual([]);
      expect(await cluster.nodes()).toEqual([]);
    });
    rollout.recorder.expectBounds({ minAvailable: 6, until: middle });
    rollout.recorder.expectBounds({ maxTotal: 8 });
    await rollout.expectOneVmPerName();
  });

  test('with --cascade=orphan leaves its sets and machines, and a new one goes on with them', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    const { spec } = await rollout.deployment();
    const path = cluster.pathOf('machinedeployments', rollout.name);
    await cluster.kube.delete(path, { propagationPolicy: 'Orphan' });
    await untilGone(scenario, path);
    const sets = await eventually('the sets have what they want', async () => {
      const left = await cluster.sets();
      const counts = left.map(({ status }) => [status?.replicas, status?.availableReplicas]);
      expect(counts).toEqual(left.map((set) => [set.spec.replicas, set.spec.replicas]));
      return left;
    });
    expect(sets.map(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([[], []]);
    expect(rollout.sizes.old).toBeGreaterThan(0);
    expect(rollout.sizes.new).toBeGreaterThan(0);
    rollout.recorder.expectBounds({ maxTotal: 8, minAvailable: 6 });
    await cluster.create('machinedeployments', deploymentManifest(scenario.named('p2'), spec));
    await rollout.expectEnd({ class: secondClass, replicas });
    rollout.recorder.expectBounds({ maxTotal: 8, minAvailable: 6 });
    expect((await rollout.revisions()).map(({ set }) => set).toSorted()).toEqual(
      sets.map(({ metadata }) => metadata.name).toSorted(),
    );
  });

  test('with --cascade=orphan leaves sets that can be deleted one by one', async () => {
    const rollout = await rollouts.begin({ replicas: 2, maxSurge: 1 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    const path = cluster.pathOf('machinedeployments', rollout.name);
    await cluster.kube.delete(path, { propagationPolicy: 'Orphan' });
    await untilGone(scenario, path);
    const sets = await cluster.sets();
    expect(sets).toHaveLength(2);
    for (const { metadata } of sets) await deleteSet(scenario, metadata.name);
    await eventually('no machine is left', async () => {
      expect(await cluster.machines()).toEqual([]);
    });
    rollout.recorder.expectBounds({ maxTotal: 3 });
  });
});
