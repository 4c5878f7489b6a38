/** A rollout stands still while it is paused, and goes on afterwards. */
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, deleteDeployment } from '../support/machines.ts';
import { secondClass, useRollouts, type Rollout } from '../support/rollout-under-test.ts';
import { untilCondition } from '../support/rollouts.ts';

const replicas = 5;

/** Waits until condition and search say so. It stands still, with machines of both templates. */
async function expectPaused(rollout: Rollout): Promise<void> {
  const { scenario, name } = rollout;
  const expected = { status: 'Unknown', reason: 'DeploymentPaused' };
  expect(await untilCondition(scenario, name, expected)).toBe('Deployment is paused');
  await rollout.untilFound('State="Paused" and BlockedBy="paused"');
  expect((await rollout.deployment()).spec.paused).toBe(true);
  await rollout.expectStandstill();
  // In the middle indeed.
  const { sizes } = rollout;
  expect(sizes.old).toBeGreaterThan(0);
  expect(sizes.new).toBeGreaterThan(0);
}

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
