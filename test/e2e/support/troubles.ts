/**
 * What a scenario must not hide behind restarts and retries: a process that died, a run that ended
 * badly, a history that cannot be replayed.
 */
import { badEndOf, failedReplays, failedTasksOf, UnseenShapes } from './histories.ts';
import type { Operator } from './operator.ts';
import { isNight, testStack } from './test-stack.ts';
import type { WorkflowRecords } from './workflow-records.ts';

/** Files of a test worker share it, as they share this module. */
const unseen = new UnseenShapes();

interface Sides {
  operator: Operator;
  workflows: WorkflowRecords;
}

/**
 * `causes`: troubles that the test causes itself. Each must have happened, so that no list outlives
 * its reason.
 */
export async function expectNoTroubles(
  { operator, workflows }: Sides,
  causes: readonly RegExp[],
): Promise<void> {
  const { workflowBundle } = testStack().layout;
  const { dataConverter } = workflows;
  const runs = await workflows.runs();
  const replayed = isNight() ? runs : unseen.of(runs);
  const troubles = [
    ...operator.faults,
    ...runs.flatMap(badEndOf),
    ...runs.flatMap(failedTasksOf),
    ...(await failedReplays(replayed, { codePath: workflowBundle, dataConverter })),
  ];
  expect(troubles.filter((text) => !causes.some((cause) => cause.test(text)))).toEqual([]);
  const missing = causes.filter((cause) => !troubles.some((text) => cause.test(text)));
  expect(missing.map(String)).toEqual([]);
}
