/**
 * Pauses between looks at a cloud within one call. What is not done when their time is over is for
 * the next call.
 */
import { backoffMs } from '../../workflows/values/backoff.ts';
import { monotonicMs, random, sleep } from '../system/system.ts';

export interface Timing {
  /** Only differences count. */
  nowMs(): number;
  /** Rejects when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const realTiming: Timing = {
  nowMs: monotonicMs,
  sleep: (milliseconds, signal) => sleep(milliseconds, { signal }),
  random,
};

export interface PauseLimits {
  /** From the first pause on; the looks in between count. */
  limitSeconds: number;
  firstPauseSeconds: number;
  longestPauseSeconds: number;
}

export interface NextPause {
  /** Looks at the same thing so far, from 1. Default: how often these pauses were asked for. */
  attempt?: number;
  /** What the cloud asks for; it goes before the backoff. */
  retryAfterSeconds?: number | undefined;
}

/**
 * The share of a pause that is left to chance, so that calls that began together do not ask
 * together.
 */
const jitter = 0.25;

export class Pauses {
  readonly #limits: PauseLimits;
  readonly #signal: AbortSignal;
  readonly #timing: Timing;
  #count = 0;
  #deadlineMs: number | undefined;

  constructor(limits: PauseLimits, signal: AbortSignal, timing: Timing = realTiming) {
    this.#limits = limits;
    this.#signal = signal;
    this.#timing = timing;
  }

  /**
   * Sleeps until the next look. False at once when the pause would go beyond the limit. Rejects
   * when the signal is aborted.
   */
  async next({ attempt, retryAfterSeconds }: NextPause = {}): Promise<boolean> {
    const nowMs = this.#timing.nowMs();
    this.#count += 1;
    this.#deadlineMs ??= nowMs + this.#limits.limitSeconds * 1_000;
    const pauseMs = this.#pauseMs(attempt ?? this.#count, retryAfterSeconds);
    if (nowMs + pauseMs > this.#deadlineMs) return false;
    await this.#timing.sleep(pauseMs, this.#signal);
    return true;
  }

  #pauseMs(attempt: number, retryAfterSeconds: number | undefined): number {
    const firstMs = this.#limits.firstPauseSeconds * 1_000;
    const chance = this.#timing.random();
    if (retryAfterSeconds !== undefined) {
      // Never earlier than the cloud asks for, and never at once: a cloud that says 0 is not to be
      // asked in a loop.
      return Math.max(retryAfterSeconds * 1_000, firstMs) * (1 + jitter * chance);
    }
    const maxMs = this.#limits.longestPauseSeconds * 1_000;
    return backoffMs({ attempt, firstMs, maxMs, jitter }, chance);
  }
}

/**
 * After how many seconds a driver wants to be asked again about what its cloud works on. Each time
 * is a timer and an activity: two actions of Temporal Cloud (docs/temporal.md).
 */
export const pollSeconds = {
  /** A create is done in 5 to 20 s mostly, a deletion in a minute. */
  aws: 10,
  /** Where Azure does not say it. */
  azure: 10,
} as const;
