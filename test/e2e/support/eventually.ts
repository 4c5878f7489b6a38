/** Waiting for a condition. Nothing in the e2e tests sleeps for a guessed time. */
import { setTimeout as delay } from 'node:timers/promises';

/** The first pause; each is half as long again as the one before, up to the longest. */
const firstPauseMilliseconds = 100;
const longestPauseMilliseconds = 400;
/** A guard against a test that hangs: a busy machine makes tests slower, and not red. */
const defaultTimeoutSeconds = 600;
/**
 * On a busy machine one attempt that waits itself can outlast the timeout, and what it saw is old
 * by then.
 */
const fewestAttempts = 3;

export interface EventuallyOptions {
  /** Default 600. Only for what takes longer, and for chaos, whose finding it is. */
  timeoutSeconds?: number;
  /** Between two looks. Default 100, and longer with each, up to 400. */
  pollMilliseconds?: number;
}

/**
 * Looks again and again until `look` no longer throws, and returns what it returned. When the time
 * is over it fails with what was last seen: `look` is made of `expect(...)`.
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<T> {
  const { timeoutSeconds = defaultTimeoutSeconds, pollMilliseconds } = options;
  const deadline = performance.now() + timeoutSeconds * 1_000;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await look();
    } catch (error) {
      const isOver = performance.now() > deadline && attempts >= fewestAttempts;
      if (isOver) throw tooLate(what, timeoutSeconds, error);
    }
    await delay(pollMilliseconds ?? pauseAfter(attempts));
  }
}

function pauseAfter(attempts: number): number {
  return Math.min(firstPauseMilliseconds * 1.5 ** (attempts - 1), longestPauseMilliseconds);
}

function tooLate(what: string, timeoutSeconds: number, cause: unknown): Error {
  const seen = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Not within ${timeoutSeconds} s: ${what}. Last seen:\n${seen}`);
}
