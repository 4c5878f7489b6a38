/** A rollout stands still while it is paused, and goes on afterwards. */
import { untilEvent } from './support/events.ts';
import { eventually } from '../support/eventually.ts';
import { createDeployment, deleteDeployment } from './support/machines.ts';
import { expectPaused } from './support/paused.ts';
import { secondClass, useRollouts } from './support/rollout-under-test.ts';

const replicas = 5;

describe('a rollout', () => {
  const rollouts = useRollouts('pause');

  test('is paused and resumed in the middle by its spec', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2, maxUnavailable: 1 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    await rollout.patch({ paused: true });
    await expectPaused(rollout);
    await rollout.patch({ paused: false });
    expect(await rollout.expectEnd({ class: secondClass, replicas })).toHaveLength(replicas);
    rollout.recorder.expectBounds({ maxTotal: 7, minAvailable: 4 });
  });

  test('a rollout that is paused before the template changes makes no set until it is resumed', async () => {
    const rollout = await rollouts.begin({ replicas: 2 });
    expect(await rollout.update('pause', {})).toBe('Paused');
    await rollout.changeClass(secondClass);
    await rollout.untilFound('State="Paused"');
    await rollout.expectStandstill();
    expect(await rollout.revisions()).toHaveLength(1);
    // Scaling goes on: the only set follows.
    await rollout.scenario.cluster.scale(rollout.name, 3);
    await rollout.recorder.markWhen('3 old machines', ({ available }) => available === 3);
    expect(await rollout.update('resume', {})).toBe('Resumed');
    await rollout.expectEnd({ class: secondClass, replicas: 3 });
    rollout.recorder.expectBounds({ maxTotal: 4, minAvailable: 2 });
  });

  test('a pause by signal names the client that sent it', async () => {
    const { scenario } = rollouts;
    const pool = await createDeployment(scenario, 'empty', { replicas: 0 });
    const handle = scenario.workflows.handleOf('machineDeployment', pool);
    await eventually('its workflow runs', () => handle.describe());
    await handle.signal('pause', { by: 'mia' });
    await untilEvent(
      scenario,
      { kind: 'MachineDeployment', name: pool },
      {
        reason: 'DeploymentPaused',
        message: expect.stringMatching(
          /^Paused, asked for through Temporal by "mia" \(client \d+@\S+, run \S+\)$/,
        ),
      },
    );
    await deleteDeployment(scenario, pool);
  });
});
