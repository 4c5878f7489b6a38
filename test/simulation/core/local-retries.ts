/** When core tries a local activity again: not by the rules of the server in all details. */
import { delayAfter, isLast } from '../temporal/retries.ts';
import type { Failure, RetryPolicy } from '../temporal/messages.ts';

/** Milliseconds; undefined: it was the last attempt. */
export function localRetryOf(
  policy: RetryPolicy | null | undefined,
  failure: Failure,
  attempt: number,
): number | undefined {
  if (isLast(policy, attempt) || isFinal(policy, failure)) return undefined;
  return delayAfter(policy, failure, attempt);
}

/** Capitals do not matter here, and a failure without a type has the type ''. */
function isFinal(
  policy: RetryPolicy | null | undefined,
  { applicationFailureInfo: info }: Failure,
): boolean {
  const type = (info?.type ?? '').toLowerCase();
  const types = policy?.nonRetryableErrorTypes ?? [];
  return info?.nonRetryable === true || types.some((final) => final.toLowerCase() === type);
}
