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
  const isLate = isTimeout(failure, 'ScheduleToStart') || isTimeout(failure, 'ScheduleToClose');
  if (isLate) return { retryState: retryStates.timeout };
  if (!isRetryable(policy, failure)) return { retryState: retryStates.nonRetryable };
  const most = policy?.maximumAttempts ?? 0;
  if (most > 0 && attempt >= most) return { retryState: retryStates.maximumAttempts };
  const asked = failure.applicationFailureInfo?.nextRetryDelay;
  const delayMs = asked ? millisecondsOf(asked) : retryDelayMs(policy, attempt);
  const isTooLate = leftMs !== undefined && delayMs > leftMs;
  return isTooLate ? { retryState: retryStates.timeout } : { delayMs };
}

function isRetryable(
  policy: RetryPolicy | null | undefined,
  { applicationFailureInfo: info, canceledFailureInfo }: Failure,
): boolean {
  if (canceledFailureInfo || info?.nonRetryable === true) return false;
  const types = policy?.nonRetryableErrorTypes ?? [];
  return !info || !types.includes(info.type ?? '');
}
