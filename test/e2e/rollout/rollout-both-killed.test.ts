/**
 * kill -9 of watcher and worker again and again while a rollout is scaled, given another template,
 * and taken back.
 */
import { className } from '../support/manifests.ts';
import type { Program } from '../support/operator.ts';
import { startRandomKills, type RandomKills } from '../support/random-kills.ts';
import {
  secondClass,
  thirdClass,
  useRollouts,
  type Rollout,
} from '../support/rollout-under-test.ts';

const leastKills = 2;

const forms = [
  { form: 'two processes', isInOne: false, programs: ['watcher', 'worker'] },
  { form: 'one process', isInOne: true, programs: ['worker'] },
] as const;

/** Kills while the work is done, which is done again until enough kills fell into it. */
async function whileDying(
  { scenario }: Rollout,
  programs: readonly Program[],
  work: () => Promise<void>,
): Promise<void> {
  const kills: RandomKills = startRandomKills(scenario.operator, { programs });
  try {
    do await work();
    while (kills.killed.length < leastKills);
  } finally {
    await kills.stop();
  }
}

describe.each(forms)('a rollout that is changed while $form of ours die', (its) => {
  const { isInOne, programs } = its;
  const name = isInOne ? 'one-dies' : 'both-die';
  const rollouts = useRollouts(name, { isDoubled: false, isInOne });

  test('keeps to its bounds, ends well, and makes no VM twice', async () => {
    const rollout = await rollouts.begin({ replicas: 16, maxSurge: 2 });
    await whileDying(rollout, programs, async () => {
      await rollout.changeClass(secondClass);
      await rollout.untilMiddle();
      await rollout.scenario.cluster.scale(rollout.name, 18);
      await rollout.untilMiddle(3);
      await rollout.changeClass(thirdClass);
      await rollout.untilMiddle(4);
      await rollout.patch({ rollbackTo: { revision: await firstRevision(rollout) } });
      const end = { class: className, replicas: 18 };
      expect(await rollout.expectEnd(end)).toHaveLength(18);
    });
    rollout.recorder.expectBounds({ maxTotal: 20, minAvailable: 16 });
  });
});

/** The set of the first template has another one each time that it is gone back to. */
async function firstRevision(rollout: Rollout): Promise<number> {
  const first = (await rollout.revisions()).find(({ set }) => set === rollout.firstSet);
  return first?.revision ?? 0;
}
