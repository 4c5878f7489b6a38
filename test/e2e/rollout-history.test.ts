/** Revisions of a deployment: which are kept, and how they are counted. */
import { annotations } from '../../workflows/api/constants.ts';
import { eventually } from './support/eventually.ts';
import { className } from './support/manifests.ts';
import { secondClass, thirdClass, useRollouts } from './support/rollout-under-test.ts';

describe('a deployment with revisionHistoryLimit 1', () => {
  const rollouts = useRollouts('history');

  test('keeps one earlier set, and counts revisions on', async () => {
    const rollout = await rollouts.begin({ replicas: 1, revisionHistoryLimit: 1 });
    for (const name of [secondClass, thirdClass]) {
      await rollout.changeClass(name);
      await rollout.expectEnd({ class: name, replicas: 1 });
    }
    await eventually('the first set is gone', async () => {
      expect(await rollout.revisions()).toMatchObject([
        { revision: 2, history: [], wanted: 0, class: secondClass },
        { revision: 3, history: [], wanted: 1, class: thirdClass },
      ]);
    });
    await rollout.patch({ rollbackTo: { revision: 2 } });
    await rollout.expectEnd({ class: secondClass, replicas: 1 });
    expect(await rollout.revisions()).toMatchObject([
      { revision: 3, wanted: 0, class: thirdClass },
      { revision: 4, history: [2], wanted: 1, class: secondClass },
    ]);
    await eventually('the deployment says its revision', async () => {
      const { metadata } = await rollout.deployment();
      expect(metadata.annotations?.[annotations.revision]).toBe('4');
    });
    // The template of the first set needs a new one.
    await rollout.changeClass(className);
    await rollout.expectEnd({ class: className, replicas: 1 });
    await eventually('one earlier set is kept', async () => {
      expect(await rollout.revisions()).toMatchObject([
        { revision: 4, history: [2], wanted: 0, class: secondClass },
        { revision: 5, history: [], wanted: 1, class: className },
      ]);
    });
    rollout.recorder.expectBounds({ maxTotal: 2, minAvailable: 1 });
  });

  test('a revisionHistoryLimit of 0 keeps none', async () => {
    const rollout = await rollouts.begin({ replicas: 1, revisionHistoryLimit: 0 });
    await rollout.changeClass(secondClass);
    await rollout.expectEnd({ class: secondClass, replicas: 1 });
    await eventually('the first set is gone', async () => {
      expect(await rollout.revisions()).toMatchObject([{ revision: 2, class: secondClass }]);
    });
    rollout.recorder.expectBounds({ maxTotal: 2, minAvailable: 1 });
  });
});
