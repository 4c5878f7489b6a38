/** A rollout past its deadline. */
import type { Rollout } from './rollout-under-test.ts';
import { untilCondition } from './rollouts.ts';

/** The newest set. */
export async function newSetOf(rollout: Rollout): Promise<string> {
  const revisions = await rollout.revisions();
  return revisions.at(-1)?.set ?? '';
}

/** Waits until condition, search and an Event say so. */
export async function expectOverdue(rollout: Rollout): Promise<void> {
  const { scenario, name } = rollout;
  const overdue = { status: 'False', reason: 'ProgressDeadlineExceeded' };
  const message = await untilCondition(scenario, name, overdue);
  const set = await newSetOf(rollout);
  expect(message).toBe(`MachineSet "${set}" has timed out progressing.`);
  await rollout.untilFound(
    `State="Blocked" and BlockedBy="MachineSet/${set}" and Attention="person"`,
  );
  await rollout.untilEvent('ProgressDeadlineExceeded | MachineSet');
}
