/** Waits for something in the cloud, with back-off and jitter, for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DriverError } from '../driver.ts';
import { isPassing } from './error-mapping.ts';

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
 * Asks until an answer is there: at once, and after pauses that grow by half, each up to a fifth longer or shorter, and no shorter
 * than the cloud wants. A question that fails for a moment is asked again. Undefined after the limit; if the last question failed,
 * its error. `ask` fails when the signal is aborted.
 */
export async function untilAnswered<Answer>(
  timing: Timing,
  wait: Wait,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const end = timing.now() + wait.limitSeconds * 1_000;
  let pauseSeconds = wait.firstPauseSeconds;
  for (;;) {
    const { answer, trouble } = await askOnce(ask);
    if (answer !== undefined) return answer;
    const wantedSeconds = trouble?.retryAfterSeconds ?? 0;
    const milliseconds = Math.round(
      Math.max(pauseSeconds * (800 + 400 * timing.random()), wantedSeconds * 1_000),
    );
    if (timing.now() + milliseconds > end) {
      if (trouble) throw trouble;
      return undefined;
    }
    await timing.pause(milliseconds, wait.signal);
    pauseSeconds = Math.min(pauseSeconds * 1.5, wait.longestPauseSeconds);
  }
}

async function askOnce<Answer>(
  ask: () => Promise<Answer>,
): Promise<{ answer?: Answer; trouble?: DriverError }> {
  try {
    return { answer: await ask() };
  } catch (error) {
    if (isPassing(error)) return { trouble: error };
    throw error;
  }
}
