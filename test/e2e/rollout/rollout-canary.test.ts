/** Option `millwright.dev/canary`: the rollout holds after its first machines. */
import { options } from '../../../workflows/api/constants.ts';
import { className } from '../support/manifests.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { untilCondition } from '../support/rollouts.ts';

describe('a rollout with a canary', () => {
  const rollouts = useRollouts('canary');

  test('holds after the first machines until it is resumed by a signal', async () => {
    const rollout = await rollouts.begin({ replicas: 6, maxSurge: 1 });
    await rollout.annotate({ [options.canary]: '2' });
    await rollout.changeClass(secondClass);
    await rollout.untilFound('State="Paused" and BlockedBy="canary" and Attention="person"');
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 4, new: 2 });
    const { scenario, name } = rollout;
    const held = { status: 'Unknown', reason: 'DeploymentPaused' };
    expect(await untilCondition(scenario, name, held)).toContain(
      'The rollout holds after the first 2 machines',
    );
    await rollout.signal('resume', {});
    await rollout.expectEnd({ class: secondClass, replicas: 6 });
    rollout.recorder.expectBounds({ maxTotal: 7, minAvailable: 6 });
  });

  test('is rolled back while it holds', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 1 });
    await rollout.annotate({ [options.canary]: '25%' });
    await rollout.changeClass(secondClass);
    await rollout.untilFound('BlockedBy="canary"');
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 3, new: 1 });
    expect(await rollout.update('rollback', {})).toBe('Rollback to the previous revision');
    await rollout.expectEnd({ class: className, replicas: 4 });
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 4 });
  });
});
