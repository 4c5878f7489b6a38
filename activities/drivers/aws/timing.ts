/** Waits for something in the cloud, with back-off and jitter, for a while. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Timing {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Ends early, without an error, when the signal is aborted. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const realTiming: Timing = {
  now: () => performance.now(),
  async pause(milliseconds, signal) {
    // Whoever waits looks at the signal himself: his next call fails as cancelled.
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  },
  random: () => Math.random(),
};

export interface Wait {
  limitSeconds: number;
  firstPauseSeconds: number;
  longestPauseSeconds: number;
  signal: AbortSignal;
}

/**
 * Asks until an answer is there: at once, and after pauses that grow by half, each up to a fifth longer or shorter. Undefined
 * after the limit. `ask` fails when the signal is aborted.
 */
export async function untilAnswered<Answer>(
  timing: Timing,
  wait: Wait,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const end = timing.now() + wait.limitSeconds * 1_000;
  let pauseSeconds = wait.firstPauseSeconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const milliseconds = Math.round(pauseSeconds * (800 + 400 * timing.random()));
    if (timing.now() + milliseconds > end) return undefined;
    await timing.pause(milliseconds, wait.signal);
    pauseSeconds = Math.min(pauseSeconds * 1.5, wait.longestPauseSeconds);
  }
}
