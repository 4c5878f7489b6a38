/** Carries out what a workflow asks of the server. */
import { millisecondsOf } from './durations.ts';
import type { Execution } from './execution.ts';
import { isClosing } from './execution.ts';
import type { Command } from './messages.ts';

/** In their order; the one that ends the run comes last. */
export function applyCommands(execution: Execution, commands: readonly Command[]): void {
  for (const command of commands) {
    if (isClosing(command)) closeBy(execution, command);
    else if (command.updateResponse) answerUpdate(execution, command.updateResponse);
    else apply(execution, command);
  }
}

function apply(execution: Execution, command: Command): void {
  const { startTimer, cancelTimer, scheduleActivity, requestCancelActivity } = command;
  if (startTimer) {
    execution.startTimer(startTimer.seq ?? 0, millisecondsOf(startTimer.startToFireTimeout));
  }
  if (cancelTimer) cancelTimerOf(execution, cancelTimer.seq ?? 0);
  if (scheduleActivity) schedule(execution, scheduleActivity);
  if (requestCancelActivity) {
    execution.history.add('ACTIVITY_TASK_CANCEL_REQUESTED');
    execution.activities.get(requestCancelActivity.seq ?? 0)?.cancel();
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

function cancelTimerOf({ timers, history }: Execution, seq: number): void {
  const timer = timers.get(seq);
  if (!timer) return;
  timer.cancel();
  timers.delete(seq);
  history.add('TIMER_CANCELED');
}

function schedule(execution: Execution, command: NonNullable<Command['scheduleActivity']>): void {
  const seq = command.seq ?? 0;
  const scheduleToCloseMs = millisecondsOf(command.scheduleToCloseTimeout);
  execution.startActivity(seq, {
    activityId: command.activityId ?? String(seq),
    activityType: command.activityType ?? '',
    taskQueue: command.taskQueue || execution.run.taskQueue,
    args: command.arguments ?? [],
    headers: command.headers ?? {},
    scheduleToCloseMs,
    scheduleToStartMs: millisecondsOf(command.scheduleToStartTimeout),
    startToCloseMs: millisecondsOf(command.startToCloseTimeout) || scheduleToCloseMs,
    heartbeatMs: millisecondsOf(command.heartbeatTimeout),
    retryPolicy: command.retryPolicy ?? undefined,
  });
}

function answerUpdate(
  execution: Execution,
  { protocolInstanceId, accepted, rejected, completed }: NonNullable<Command['updateResponse']>,
): void {
  const id = protocolInstanceId ?? '';
  if (accepted) execution.history.add('WORKFLOW_EXECUTION_UPDATE_ACCEPTED');
  if (completed) {
    execution.history.add('WORKFLOW_EXECUTION_UPDATE_COMPLETED');
    execution.updates.get(id)?.resolve({ success: completed });
  }
  if (rejected) execution.updates.get(id)?.resolve({ failure: rejected });
  if (completed || rejected) execution.updates.delete(id);
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
