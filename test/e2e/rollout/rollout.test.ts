/** Rolls 8 machines above the number. */
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';

const replicas = 8;

describe('a rollout of 8 machines', () => {
  const rollouts = useRollouts('roll');

  test('makes a quarter more before old ones go, and none is missing', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: '25%', maxUnavailable: 0 });
    await rollout.changeClass(secondClass);
    const machines = await rollout.expectEnd({ class: secondClass, replicas });
    rollout.recorder.expectBounds({ maxTotal: 10, minAvailable: 8 });
    // It takes the room that it has.
    expect(rollout.recorder.extremes()).toEqual({ maxTotal: 10, minAvailable: 8 });
    expect(rollout.recorder.machineNames).toEqual(new Set([...rollout.firstMachines, ...machines]));
    const [first, second] = await rollout.revisions();
    expect(first).toMatchObject({ set: rollout.firstSet, revision: 1, wanted: 0, replicas: 0 });
    expect(second).toMatchObject({ revision: 2, wanted: 8, available: 8 });
    for (const scaling of [
      `up machine set ${first?.set} to 8`,
      `up machine set ${second?.set} to 2`,
      `up machine set ${second?.set} to 8`,
      `down machine set ${first?.set} to 0`,
    ])
      await rollout.untilEvent(`ScalingMachineSet | Scaled ${scaling}`);
    const events = await rollout.events();
    expect(events.filter((text) => text.startsWith('Warning'))).toEqual([]);
  });
});
