/** A reset in Temporal: the run ends, and another one goes on from one of its tasks. */
import type { Client } from '@temporalio/client';
import type Long from 'long';

/** `RESET_REAPPLY_EXCLUDE_TYPE_*`: signals, updates, Nexus, requests to cancel. */
const everything = [1, 2, 3, 4];

/** What came after the point of a reset is brought to the next run, as by default, or is not. */
export type Reapply = 'all' | 'none';

interface Reset {
  workflowExecution: { workflowId: string; runId?: string };
  /** Of a `WorkflowTaskCompleted`. */
  eventId: Long;
  reapply: Reapply;
}

/** Returns the id of the run that goes on. */
export async function resetRun(
  { workflowService, options: { namespace } }: Client,
  { workflowExecution, eventId, reapply }: Reset,
): Promise<string> {
  const { runId } = await workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution,
    reason: 'after a bad build',
    requestId: crypto.randomUUID(),
    workflowTaskFinishEventId: eventId,
    ...(reapply === 'none' && { resetReapplyExcludeTypes: everything }),
  });
  return runId;
}
