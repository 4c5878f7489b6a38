/** A new version of the workers goes out in the middle of a rollout: one after the other. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import type { Program } from '../support/operator.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { queuesByProcess } from '../support/task-owners.ts';

const replicas = 40;

describe('a rollout of 40 machines while both workers are restarted', () => {
  const rollouts = useRollouts('restarted', {
    isDoubled: false,
    workers: [{ name: 'worker-a' }, { name: 'worker-b' }],
  });
  const { operator, workflows } = rollouts.scenario;

  /** The new one works before the old one is asked to end. */
  async function replace(old: Program, next: Program): Promise<void> {
    operator.startAgain(next);
    await eventually(`${next} works`, async () => {
      expect(await readFile(join(operator.logs, `${next}.log`), 'utf8')).toContain('"working"');
    });
    await operator.retire(old);
  }

  test('keeps to its bounds, loses nothing, and makes no VM twice', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 4 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle(4);
    await replace('worker-a', 'worker-c');
    await replace('worker-b', 'worker-d');
    expect(rollout.sizes.old).toBeGreaterThan(0);
    const machines = await rollout.expectEnd({ class: secondClass, replicas });
    // No machine was given up on the way.
    expect(rollout.recorder.machineNames).toEqual(new Set([...rollout.firstMachines, ...machines]));
    rollout.recorder.expectBounds({ maxTotal: 44, minAvailable: 40 });
    expect(operator.faults).toEqual([]);
    const owners = queuesByProcess(await workflows.runs(), await rollouts.scenario.taskQueue());
    expect(Object.keys(owners).toSorted()).toEqual([
      'worker-a',
      'worker-b',
      'worker-c',
      'worker-d',
    ]);
  });
});
