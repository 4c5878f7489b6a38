/** A rollout of 20 machines while one of our programs dies every 5 to 10 s. */
import { describe, expect, test } from '@jest/globals';
import type { Program } from './operator.ts';
import { startRandomKills } from './random-kills.ts';
import { secondClass, useRollouts } from './rollout.ts';

const replicas = 20;

/** Makes the test of a file. Two machines at a time, so that several kills fall into it. */
export function rolledWhileKilled(program: Program): void {
  describe(`a rollout while the ${program} dies again and again`, () => {
    const rollouts = useRollouts(`${program}-dies`);

    test('keeps to its bounds, ends well, and makes no VM twice', async () => {
      const rollout = await rollouts.begin({ replicas, maxSurge: 2 });
      const kills = startRandomKills(rollouts.scenario.operator, { programs: [program] });
      try {
        await rollout.changeClass(secondClass);
        const machines = await rollout.expectEnd(
          { class: secondClass, replicas },
          { timeoutSeconds: 200 },
        );
        expect(rollout.recorder.machineNames).toEqual(
          new Set([...rollout.firstMachines, ...machines]),
        );
      } finally {
        await kills.stop();
      }
      expect(kills.killed.length).toBeGreaterThanOrEqual(2);
      rollout.recorder.expectBounds({ maxTotal: 22, minAvailable: 20 });
    });
  });
}
