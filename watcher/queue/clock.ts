import { after, monotonicMs } from '../../activities/system/system.ts';

/** Time, handed in so that tests can turn it. */
export interface Clock {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Returns how to cancel it. */
  after(milliseconds: number, action: () => void): () => void;
}

export const realClock: Clock = {
  now: monotonicMs,
  after(milliseconds, action) {
    const timer = after(milliseconds, action);
    return () => timer.cancel();
  },
};
