/** Failures as a Temporal server and the SDK's core write them. */
import type { Failure, Payload } from './messages.ts';

/** `temporal.api.enums.v1.TimeoutType`. */
const timeoutTypes = { StartToClose: 1, ScheduleToStart: 2, ScheduleToClose: 3, Heartbeat: 4 };
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

export function timeoutFailure(
  type: TimeoutType,
  details: readonly Payload[],
  cause?: Failure,
): Failure {
  return {
    message: `activity ${type} timeout`,
    source: 'Server',
    timeoutFailureInfo: {
      timeoutType: timeoutTypes[type],
      lastHeartbeatDetails: { payloads: [...details] },
    },
    ...(cause && { cause }),
  };
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

export function cancelledFailure(details: readonly Payload[] = []): Failure {
  return {
    message: 'Activity cancelled',
    canceledFailureInfo: { details: { payloads: [...details] } },
  };
}
