/** Jittered exponential waits for what is tried for ever. */
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
      const ceiling = Math.min(maxMs, firstMs * 2 ** attempts);
      attempts += 1;
      // Half of it is random, so that watches that broke together do not come back together.
      return ceiling * (0.5 + Math.random() / 2);
    },
    reset() {
      attempts = 0;
    },
  };
}
