/** Carries out what a workflow asks of the server. */
import { millisecondsOf } from './durations.ts';
import type { Execution } from './execution.ts';
import { isClosing } from './closing.ts';
import type { Command, TaskCommand } from './messages.ts';

/** In their order; the one that ends the run comes last. */
export function applyCommands(
  execution: Execution,
  commands: readonly TaskCommand[],
  identity: string,
): void {
  for (const command of commands) {
    if (isClosing(command)) closeBy(execution, command);
    else if (command.recordMarker) execution.history.add('MARKER_RECORDED');
    else if (command.updateResponse) answerUpdate(execution, command.updateResponse);
    else apply(execution, command, identity);
  }
}

function apply(execution: Execution, command: Command, identity: string): void {
  const { startTimer, cancelTimer, scheduleActivity, requestCancelActivity } = command;
  if (startTimer) {
    execution.startTimer(startTimer.seq ?? 0, millisecondsOf(startTimer.startToFireTimeout));
  }
  if (cancelTimer) execution.cancelTimer(cancelTimer.seq ?? 0);
  if (scheduleActivity) schedule(execution, scheduleActivity);
  if (requestCancelActivity) {
    execution.history.add('ACTIVITY_TASK_CANCEL_REQUESTED');
    execution.activities.get(requestCancelActivity.seq ?? 0)?.cancel(identity);
  }
  setProperties(execution, command);
}

function setProperties(
  { searchAttributes, memo, history }: Execution,
  { upsertWorkflowSearchAttributes, modifyWorkflowProperties }: Command,
): void {
  const attributes = upsertWorkflowSearchAttributes?.searchAttributes;
  if (attributes) {
    history.add('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES');
    Object.assign(searchAttributes, attributes.indexedFields);
  }
  if (modifyWorkflowProperties) {
    history.add('WORKFLOW_PROPERTIES_MODIFIED');
    Object.assign(memo, modifyWorkflowProperties.upsertedMemo?.fields);
  }
}

function schedule(execution: Execution, command: NonNullable<Command['scheduleActivity']>): void {
  const seq = command.seq ?? 0;
  execution.startActivity(seq, {
    activityId: command.activityId ?? String(seq),
    activityType: command.activityType ?? '',
    taskQueue: command.taskQueue || execution.run.taskQueue,
    args: command.arguments ?? [],
    headers: command.headers ?? {},
    ...limitsOf(command, execution.beginning.executionTimeoutMs),
    retryPolicy: command.retryPolicy ?? undefined,
  });
}

/**
 * None is longer than the time for all attempts, which is also that of those that are not set, and
 * which is not longer than that of the run.
 */
function limitsOf(command: NonNullable<Command['scheduleActivity']>, longestMs: number) {
  const scheduleToClose = millisecondsOf(command.scheduleToCloseTimeout);
  const scheduleToCloseMs = shorterOf(scheduleToClose, longestMs);
  const startToClose = millisecondsOf(command.startToCloseTimeout);
  const startToCloseMs = shorterOf(startToClose, scheduleToCloseMs);
  const scheduleToStart = millisecondsOf(command.scheduleToStartTimeout);
  const heartbeatMs = millisecondsOf(command.heartbeatTimeout);
  return {
    scheduleToCloseMs,
    scheduleToStartMs: shorterOf(scheduleToStart, scheduleToCloseMs),
    startToCloseMs,
    heartbeatMs: heartbeatMs > 0 ? shorterOf(heartbeatMs, startToCloseMs) : 0,
  };
}

/** 0 is no limit. */
function shorterOf(oneMs: number, otherMs: number): number {
  return oneMs > 0 && otherMs > 0 ? Math.min(oneMs, otherMs) : oneMs || otherMs;
}

function answerUpdate(
  { history, updates }: Execution,
  { protocolInstanceId, accepted, rejected, completed }: NonNullable<Command['updateResponse']>,
): void {
  const id = protocolInstanceId ?? '';
  if (accepted) {
    history.add('WORKFLOW_EXECUTION_UPDATE_ACCEPTED');
    updates.accept(id);
  }
  // A handler that fails rejects what was accepted before.
  const isOver = completed ?? (rejected && updates.isAccepted(id));
  if (isOver) history.add('WORKFLOW_EXECUTION_UPDATE_COMPLETED');
  if (completed) updates.end(id, { success: completed });
  else if (rejected) updates.end(id, { failure: rejected });
}

function closeBy(execution: Execution, command: Command): void {
  const { completeWorkflowExecution: completed, failWorkflowExecution: failed } = command;
  execution.result = completed?.result ?? undefined;
  execution.failure = failed?.failure ?? undefined;
  const status = statusAfter(command);
  execution.history.add(`WORKFLOW_EXECUTION_${status}`);
  execution.close(status, command);
}

function statusAfter(command: Command) {
  if (command.completeWorkflowExecution) return 'COMPLETED';
  if (command.continueAsNewWorkflowExecution) return 'CONTINUED_AS_NEW';
  return command.cancelWorkflowExecution ? 'CANCELED' : 'FAILED';
}
