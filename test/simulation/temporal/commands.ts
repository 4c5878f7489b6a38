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
  if (cancelTimer) cancelTimerOf(execution, cancelTimer.seq ?? 0);
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

function cancelTimerOf({ timers, history }: Execution, seq: number): void {
  const timer = timers.get(seq);
  if (!timer) return;
  timer.cancel();
  timers.delete(seq);
  history.add('TIMER_CANCELED');
}

function schedule(execution: Execution, command: NonNullable<Command['scheduleActivity']>): void {
  const seq = command.seq ?? 0;
  execution.startActivity(seq, {
    activityId: command.activityId ?? String(seq),
    activityType: command.activityType ?? '',
    taskQueue: command.taskQueue || execution.run.taskQueue,
    args: command.arguments ?? [],
    headers: command.headers ?? {},
    ...limitsOf(command),
    retryPolicy: command.retryPolicy ?? undefined,
  });
}

/** None is longer than the time for all attempts, which is also that of those that are not set. */
function limitsOf(command: NonNullable<Command['scheduleActivity']>) {
  const scheduleToCloseMs = millisecondsOf(command.scheduleToCloseTimeout);
  const within = (milliseconds: number, longestMs: number): number =>
    Math.min(milliseconds || Infinity, longestMs || Infinity);
  const orNone = (milliseconds: number): number => (milliseconds === Infinity ? 0 : milliseconds);
  const startToCloseMs = within(millisecondsOf(command.startToCloseTimeout), scheduleToCloseMs);
  const heartbeatMs = millisecondsOf(command.heartbeatTimeout);
  return {
    scheduleToCloseMs,
    scheduleToStartMs: orNone(
      within(millisecondsOf(command.scheduleToStartTimeout), scheduleToCloseMs),
    ),
    startToCloseMs: orNone(startToCloseMs),
    heartbeatMs: heartbeatMs > 0 ? orNone(within(heartbeatMs, startToCloseMs)) : 0,
  };
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
