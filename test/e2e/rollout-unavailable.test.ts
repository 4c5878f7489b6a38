/** Rolls 8 machines below the number. */
import { secondClass, useRollouts } from './support/rollout-under-test.ts';

const replicas = 8;

describe('a rollout of 8 machines', () => {
  const rollouts = useRollouts('below');

  test('takes a quarter away before new ones come, and makes none above the number', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 0, maxUnavailable: '25%' });
    await rollout.changeClass(secondClass);
    await rollout.expectEnd({ class: secondClass, replicas });
    rollout.recorder.expectBounds({ maxTotal: 8, minAvailable: 6 });
    expect(rollout.recorder.extremes()).toEqual({ maxTotal: 8, minAvailable: 6 });
  });
});
