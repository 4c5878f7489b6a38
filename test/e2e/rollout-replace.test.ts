/**
 * Gardener writes the whole spec of a MachineDeployment whenever it looks at it, also in the middle
 * of a rollout.
 */
import { customResource } from '../../activities/kube/client/paths.ts';
import type { MachineDeploymentSpec } from '../../workflows/api/machine-deployment.ts';
import { eventually } from './support/eventually.ts';
import { secondClass, useRollouts, type Rollout } from './support/rollout-under-test.ts';

/** As a PUT of the whole object does, which Gardener sends: what is not in it is gone. */
async function replaceSpec(
  { scenario, name }: Rollout,
  spec: MachineDeploymentSpec,
): Promise<void> {
  const path = customResource('machinedeployments', scenario.namespace, name);
  await scenario.cluster.kube.patch(path, 'json', [{ op: 'replace', path: '/spec', value: spec }]);
}

describe('the whole spec is replaced in the middle of a rollout', () => {
  const rollouts = useRollouts('replace');

  test('by the same, and then by another one', async () => {
    const rollout = await rollouts.begin({ replicas: 8, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    const { spec } = await rollout.deployment();
    await replaceSpec(rollout, spec);
    const middle = await rollout.untilMiddle(3);
    await replaceSpec(rollout, {
      ...spec,
      replicas: 9,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 3 } },
      template: { ...spec.template, spec: { ...spec.template.spec, drainTimeout: '10m' } },
    });
    const machines = await rollout.expectEnd({ class: secondClass, replicas: 9 });
    rollout.recorder.expectBounds({ maxTotal: 10, minAvailable: 8, until: middle });
    rollout.recorder.expectBounds({ maxTotal: 10, minAvailable: 6 });
    // Only the class makes machines old: one new set, and the timeout is pushed down to its
    // machines.
    expect(await rollout.revisions()).toHaveLength(2);
    const { cluster } = rollout.scenario;
    await eventually('all machines have the timeout', async () => {
      const timeouts = (await cluster.machines()).map((machine) => machine.spec.drainTimeout);
      expect(timeouts).toEqual(machines.map(() => '10m'));
    });
  });
});
