/** Waiting for a condition. Nothing in the e2e tests sleeps for a guessed time. */
import { setTimeout as delay } from 'node:timers/promises';

const defaultPollMilliseconds = 200;
const defaultTimeoutSeconds = 60;

export interface EventuallyOptions {
  /** Default 60. Far above what it takes: nothing here is about speed. */
  timeoutSeconds?: number;
  /** Between two looks. Default 200. */
  pollMilliseconds?: number;
}

/**
 * Looks again and again until `look` no longer throws, and returns what it returned. When the time is over it fails
 * with what was last seen: `look` is made of `expect(...)`.
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<T> {
  const { timeoutSeconds = defaultTimeoutSeconds, pollMilliseconds = defaultPollMilliseconds } =
    options;
  const deadline = performance.now() + timeoutSeconds * 1_000;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > deadline) throw tooLate(what, timeoutSeconds, error);
    }
    await delay(pollMilliseconds);
  }
}

function tooLate(what: string, timeoutSeconds: number, cause: unknown): Error {
  const seen = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Not within ${timeoutSeconds} s: ${what}. Last seen:\n${seen}`);
}
