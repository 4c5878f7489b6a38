/** When core tries a local activity again: not by the rules of the server in all details. */
import { millisecondsOf, retryDelayMs } from '../temporal/durations.ts';
import type { Failure, RetryPolicy } from '../temporal/messages.ts';

/** Milliseconds; undefined: it was the last attempt. */
export function localRetryOf(
  policy: RetryPolicy | null | undefined,
  { applicationFailureInfo: info }: Failure,
  attempt: number,
): number | undefined {
  const most = policy?.maximumAttempts ?? 0;
  if (most > 0 && attempt >= most) return undefined;
  if (info?.nonRetryable === true) return undefined;
  const type = (info?.type ?? '').toLowerCase();
  const types = policy?.nonRetryableErrorTypes ?? [];
  if (types.some((final) => final.toLowerCase() === type)) return undefined;
  return info?.nextRetryDelay ? millisecondsOf(info.nextRetryDelay) : retryDelayMs(policy, attempt);
}
