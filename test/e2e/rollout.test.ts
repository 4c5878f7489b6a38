/** Rolls 12 machines within each of the two bounds. */
import { describe, expect, test } from 'vitest';
import { secondClass, useRollouts } from './support/rollout-under-test.ts';

const replicas = 12;

describe('a rollout of 12 machines', () => {
  const rollouts = useRollouts('roll');

  test('makes a quarter more before old ones go, and none is missing', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: '25%', maxUnavailable: 0 });
    await rollout.changeClass(secondClass);
    const machines = await rollout.expectEnd({ class: secondClass, replicas });
    rollout.recorder.expectBounds({ maxTotal: 15, minAvailable: 12 });
    // It takes the room that it has.
    expect(rollout.recorder.extremes()).toEqual({ maxTotal: 15, minAvailable: 12 });
    expect(rollout.recorder.machineNames).toEqual(new Set([...rollout.firstMachines, ...machines]));
    const [first, second] = await rollout.revisions();
    expect(first).toMatchObject({ set: rollout.firstSet, revision: 1, wanted: 0, replicas: 0 });
    expect(second).toMatchObject({ revision: 2, wanted: 12, available: 12 });
    const events = await rollout.events();
    expect(events).toEqual(
      expect.arrayContaining([
        `ScalingMachineSet | Scaled up machine set ${first?.set} to 12`,
        `ScalingMachineSet | Scaled up machine set ${second?.set} to 3`,
        `ScalingMachineSet | Scaled up machine set ${second?.set} to 12`,
        `ScalingMachineSet | Scaled down machine set ${first?.set} to 0`,
      ]),
    );
    expect(events.filter((text) => text.startsWith('Warning'))).toEqual([]);
  });

  test('takes a quarter away before new ones come, and makes none above the number', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 0, maxUnavailable: '25%' });
    await rollout.changeClass(secondClass);
    await rollout.expectEnd({ class: secondClass, replicas });
    rollout.recorder.expectBounds({ maxTotal: 12, minAvailable: 9 });
    expect(rollout.recorder.extremes()).toEqual({ maxTotal: 12, minAvailable: 9 });
  });
});
