/** Failures as a Temporal server and the SDK's core write them. */
import proto from '@temporalio/proto';
import type { Failure, Payload } from './messages.ts';

const { TimeoutType: types } = proto.temporal.api.enums.v1;
const timeoutTypes = {
  StartToClose: types.TIMEOUT_TYPE_START_TO_CLOSE,
  ScheduleToStart: types.TIMEOUT_TYPE_SCHEDULE_TO_START,
  ScheduleToClose: types.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE,
  Heartbeat: types.TIMEOUT_TYPE_HEARTBEAT,
};
export type TimeoutType = keyof typeof timeoutTypes;

/** `temporal.api.enums.v1.RetryState`. */
export const retryStates = {
  inProgress: 1,
  nonRetryable: 2,
  timeout: 3,
  maximumAttempts: 4,
  cancelRequested: 7,
};

export interface FailedActivity {
  activityId: string;
  activityType: string;
  identity: string;
  retryState: number;
}

export function timeoutFailure(type: TimeoutType, message = `activity ${type} timeout`): Failure {
  return { message, source: 'Server', timeoutFailureInfo: { timeoutType: timeoutTypes[type] } };
}

/** With the details of the last heartbeat, which the next attempt would get. */
export function withDetails(failure: Failure, details: readonly Payload[]): Failure {
  if (details.length === 0) return failure;
  const lastHeartbeatDetails = { payloads: [...details] };
  return {
    ...failure,
    timeoutFailureInfo: { ...failure.timeoutFailureInfo, lastHeartbeatDetails },
  };
}

export function isTimeout({ timeoutFailureInfo }: Failure, type: TimeoutType): boolean {
  return timeoutFailureInfo?.timeoutType === timeoutTypes[type];
}

/** What a workflow sees of an activity that failed, timed out or was cancelled. */
export function activityFailure(message: string, cause: Failure, of: FailedActivity): Failure {
  const { activityId, activityType, identity, retryState } = of;
  return {
    message,
    cause,
    activityFailureInfo: { activityId, activityType: { name: activityType }, identity, retryState },
  };
}

/** As core makes it, whatever the activity said. */
export function cancelledActivity(
  details: readonly Payload[],
  of: Omit<FailedActivity, 'retryState'>,
): Failure {
  const cause: Failure = { canceledFailureInfo: { details: { payloads: [...details] } } };
  const retryState = retryStates.cancelRequested;
  return activityFailure('Activity cancelled', cause, { ...of, retryState });
}

export function detailsOf({ canceledFailureInfo }: Failure): readonly Payload[] {
  return canceledFailureInfo?.details?.payloads ?? [];
}

/** Of a local activity that is cancelled while it does not run. */
export function cancelledFailure(): Failure {
  return { message: 'Activity cancelled', canceledFailureInfo: {} };
}
