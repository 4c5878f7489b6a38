/** A server that resets runs, which the one that skips time cannot. Its time passes as usual. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { preparedBinary } from '../../deploy/local/binaries/acquire.ts';
import { eventually } from './eventually.ts';
import { resetRun, type Reapply } from './reset-run.ts';
import type { TemporalForTests } from './temporal.ts';
import { withSearchAttributes } from './temporal.ts';

export async function startResettingServer(): Promise<TestWorkflowEnvironment> {
  const path = await preparedBinary('temporal');
  const server = { executable: { type: 'existing-path', path } } as const;
  return await withSearchAttributes(await TestWorkflowEnvironment.createLocal({ server }));
}

interface Resets {
  workflowId: string;
  reapply: Reapply;
  /** Activities that never end. */
  hanging?: readonly string[];
}

/** Resets the present run to each of its tasks in turn, and checks what became of each. */
export async function resetToEach(
  temporal: TemporalForTests,
  { workflowId, reapply, hanging = [] }: Resets,
  check: (eventId: string) => Promise<void>,
): Promise<void> {
  const { workflowService, options, workflow } = temporal.client;
  const { namespace } = options;
  const handle = workflow.getHandle(workflowId);
  const { runId } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  for (const eventId of tasks.flatMap((event) => event.eventId ?? [])) {
    const workflowExecution = { workflowId, runId };
    const newRunId = await resetRun(temporal.client, { workflowExecution, eventId, reapply });
    await eventually('the next run has done what it means to do at once', async () => {
      const execution = { workflowId, runId: newRunId };
      const { pendingWorkflowTask, pendingActivities, workflowExecutionInfo } =
        await workflowService.describeWorkflowExecution({ namespace, execution });
      const isAtWork = (pendingActivities ?? []).some(
        ({ activityType }) => !hanging.includes(activityType?.name ?? ''),
      );
      const length = Number(workflowExecutionInfo?.historyLength);
      return !pendingWorkflowTask && !isAtWork && length > Number(eventId) + 2;
    });
    await check(String(eventId));
  }
}
