/** What is wanted changes in the middle of a rollout. */
import { secondClass, thirdClass, useRollouts } from '../support/rollout-under-test.ts';

describe('in the middle of a rollout', () => {
  const rollouts = useRollouts('change', { isDoubled: true });

  test('more machines are wanted, by kubectl scale', async () => {
    const rollout = await rollouts.begin({ replicas: 8, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    const middle = await rollout.untilMiddle();
    await rollout.scenario.cluster.scale(rollout.name, 12);
    expect(await rollout.expectEnd({ class: secondClass, replicas: 12 })).toHaveLength(12);
    rollout.recorder.expectBounds({ maxTotal: 10, until: middle });
    rollout.recorder.expectBounds({ maxTotal: 14, minAvailable: 8 });
  });

  test('fewer machines are wanted, by an update', async () => {
    const rollout = await rollouts.begin({ replicas: 10, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    const middle = await rollout.untilMiddle();
    const asked = { replicas: 5, by: 'ann' };
    expect(await rollout.update('setReplicas', asked)).toBe('Replicas set to 5');
    expect((await rollout.deployment()).spec.replicas).toBe(5);
    await rollout.expectEnd({ class: secondClass, replicas: 5 });
    rollout.recorder.expectBounds({ minAvailable: 10, until: middle });
    rollout.recorder.expectBounds({ maxTotal: 12, minAvailable: 5 });
    await rollout.untilEvent(
      'ReplicasSet | Replicas set to 5, asked for through Temporal by "ann"',
    );
  });

  test('no machine is wanted any more, and then some again', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 1 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    await rollout.scenario.cluster.scale(rollout.name, 0);
    await rollout.expectEnd({ class: secondClass, replicas: 0 });
    await rollout.scenario.cluster.scale(rollout.name, 2);
    expect(await rollout.expectEnd({ class: secondClass, replicas: 2 })).toHaveLength(2);
    rollout.recorder.expectBounds({ maxTotal: 5 });
  });

  test('another template is wanted', async () => {
    const rollout = await rollouts.begin({ replicas: 10, maxSurge: 2 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    await rollout.changeClass(thirdClass);
    await rollout.expectEnd({ class: thirdClass, replicas: 10 });
    rollout.recorder.expectBounds({ maxTotal: 12, minAvailable: 10 });
    expect(await rollout.revisions()).toMatchObject([
      { revision: 1, wanted: 0, replicas: 0, set: rollout.firstSet },
      { revision: 2, wanted: 0, replicas: 0, class: secondClass },
      { revision: 3, wanted: 10, replicas: 10, class: thirdClass },
    ]);
  });
});
