/** A rollout while our programs die every 5 to 10 s. */
import { className } from './manifests.ts';
import type { Program } from './operator.ts';
import { startRandomKills, type RandomKills } from './random-kills.ts';
import { secondClass, thirdClass, useRollouts, type Rollout } from './rollout-under-test.ts';

const leastKills = 2;

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

/** Makes the test of a file. Three machines at a time, so that several kills fall into it. */
export function rolledWhileDying(program: Program): void {
  describe(`a rollout of 20 machines while the ${program} dies again and again`, () => {
    const rollouts = useRollouts(`${program}-dies`, { isDoubled: false });
    const replicas = 20;

    test('keeps to its bounds, ends well, and makes no VM twice', async () => {
      const rollout = await rollouts.begin({ replicas, maxSurge: 3 });
      await whileDying(rollout, [program], async () => {
        await rollout.changeClass(secondClass);
        const machines = await rollout.expectEnd({ class: secondClass, replicas });
        expect(rollout.recorder.machineNames).toEqual(
          new Set([...rollout.firstMachines, ...machines]),
        );
      });
      rollout.recorder.expectBounds({ maxTotal: 23, minAvailable: 20 });
    });
  });
}

/** Makes the test of a file. */
export function changedWhileDying(): void {
  describe('a rollout that is changed while watcher and worker die again and again', () => {
    const rollouts = useRollouts('both-die', { isDoubled: false });

    test('keeps to its bounds, ends well, and makes no VM twice', async () => {
      const rollout = await rollouts.begin({ replicas: 16, maxSurge: 2 });
      await whileDying(rollout, ['watcher', 'worker'], async () => {
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
}

/** The set of the first template has another one each time that it is gone back to. */
async function firstRevision(rollout: Rollout): Promise<number> {
  const first = (await rollout.revisions()).find(({ set }) => set === rollout.firstSet);
  return first?.revision ?? 0;
}
