/** An error of Temporal's SDK in one line, with all that tells one from another. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';

export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return `thrown ${JSON.stringify(error)}`;
  const cause = error.cause === undefined ? '' : ` <- ${describeFailure(error.cause)}`;
  return `${error.name}(${error.message})${detailsOf(error)}${cause}`;
}

function detailsOf(error: Error): string {
  if (error instanceof ActivityFailure) {
    const { activityType, activityId, retryState, identity } = error;
    return JSON.stringify([activityType, activityId, retryState, identity]);
  }
  if (error instanceof ApplicationFailure) {
    const { type, nonRetryable, details, nextRetryDelay } = error;
    // The log of a run that failed would be in it again.
    const shown = details?.filter((detail) => typeof detail === 'string');
    return JSON.stringify([type, nonRetryable, shown, nextRetryDelay]);
  }
  if (error instanceof TimeoutFailure) {
    return JSON.stringify([error.timeoutType, error.lastHeartbeatDetails]);
  }
  if (error instanceof CancelledFailure || error instanceof TerminatedFailure) return '[]';
  return '';
}
