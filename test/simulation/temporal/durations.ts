/** Times and durations as protobuf has them. */
import Long from 'long';
import type { RetryPolicy } from './messages.ts';

interface Parts {
  seconds?: Long | number | null;
  nanos?: number | null;
}

/** 0 when there is none, as on the wire. */
export function millisecondsOf(parts: Parts | null | undefined): number {
  return Number(parts?.seconds ?? 0) * 1_000 + (parts?.nanos ?? 0) / 1e6;
}

/** Of a duration, or of a time since 1970. */
export function partsOf(milliseconds: number): { seconds: Long; nanos: number } {
  const whole = Math.floor(milliseconds / 1_000);
  return {
    seconds: Long.fromNumber(whole),
    nanos: Math.round((milliseconds - whole * 1_000) * 1e6),
  };
}

/** Before the next attempt, milliseconds; the server's defaults where the policy says nothing. */
export function retryDelayMs(policy: RetryPolicy | null | undefined, attempt: number): number {
  const first = millisecondsOf(policy?.initialInterval) || 1_000;
  const longest = millisecondsOf(policy?.maximumInterval) || 100 * first;
  return Math.min(longest, first * (policy?.backoffCoefficient || 2) ** (attempt - 1));
}
