/** Jittered exponential waits for what is tried for ever. */
import { backoffMs } from '../../workflows/values/backoff.ts';
import { random } from '../../activities/system/system.ts';

export interface Backoff {
  /** Milliseconds to wait before the next attempt; grows with each call. */
  next(): number;
  /** It worked. */
  reset(): void;
}

export interface BackoffRange {
  firstMs: number;
  maxMs: number;
}

export function createBackoff({ firstMs, maxMs }: BackoffRange): Backoff {
  let attempts = 0;
  return {
    next() {
      attempts += 1;
      // Up to a half is left out, so that watches that broke together do not come back together.
      return backoffMs({ attempt: attempts, firstMs, maxMs, jitter: 0.5 }, random());
    },
    reset() {
      attempts = 0;
    },
  };
}
