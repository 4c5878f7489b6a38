/** Exponential waits between attempts. Pure: the caller hands in the randomness. */
export interface Backoff {
  /** Failures so far, from 1. */
  attempt: number;
  firstMs: number;
  maxMs: number;
  /**
   * The largest part of the wait that chance leaves out, so that what failed together does not
   * return together: 0.25 is up to a quarter.
   */
  jitter: number;
}

/** More doublings would leave the range of whole numbers, and no cap is reached later. */
const doublingsMax = 40;

/**
 * The wait after an attempt failed: it doubles with each attempt, up to `maxMs`. `random`: from 0
 * to 1.
 */
export function backoffMs({ attempt, firstMs, maxMs, jitter }: Backoff, random: number): number {
  const doublings = Math.min(Math.max(attempt - 1, 0), doublingsMax);
  return Math.min(firstMs * 2 ** doublings, maxMs) * (1 - jitter * random);
}
