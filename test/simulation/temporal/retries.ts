/** Whether an attempt that failed is followed by another one: of an activity, or of a run. */
import { millisecondsOf, retryDelayMs } from './durations.ts';
import { isTimeout, retryStates } from './failures.ts';
import type { Failure, RetryPolicy } from './messages.ts';

export interface FailedAttempt {
  failure: Failure;
  /** From 1. */
  attempt: number;
  /** Milliseconds left for all attempts; undefined: there is no limit. */
  leftMs: number | undefined;
}

/** Milliseconds until the next attempt, or the state in which it ends. */
export type RetryDecision = { delayMs: number } | { retryState: number };

export function retryOf(
  policy: RetryPolicy | null | undefined,
  { failure, attempt, leftMs }: FailedAttempt,
): RetryDecision {
  if (isTimeout(failure, 'ScheduleToStart') || isTimeout(failure, 'ScheduleToClose')) {
    return { retryState: retryStates.timeout };
  }
  if (!isRetryable(policy, failure)) return { retryState: retryStates.nonRetryable };
  if (isLast(policy, attempt)) return { retryState: retryStates.maximumAttempts };
  const delayMs = delayAfter(policy, failure, attempt);
  if (leftMs !== undefined && delayMs > leftMs) return { retryState: retryStates.timeout };
  return { delayMs };
}

/** The policy allows no further attempt. */
export function isLast(policy: RetryPolicy | null | undefined, attempt: number): boolean {
  const most = policy?.maximumAttempts ?? 0;
  return most > 0 && attempt >= most;
}

/** As the failure says, or the policy, milliseconds. */
export function delayAfter(
  policy: RetryPolicy | null | undefined,
  { applicationFailureInfo: info }: Failure,
  attempt: number,
): number {
  return info?.nextRetryDelay ? millisecondsOf(info.nextRetryDelay) : retryDelayMs(policy, attempt);
}

function isRetryable(
  policy: RetryPolicy | null | undefined,
  { applicationFailureInfo: info, canceledFailureInfo }: Failure,
): boolean {
  if (canceledFailureInfo || info?.nonRetryable === true) return false;
  const types = policy?.nonRetryableErrorTypes ?? [];
  return !info || !types.includes(info.type ?? '');
}
