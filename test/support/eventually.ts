/** Waiting for a condition. No test sleeps for a guessed time. */
import { setTimeout as delay } from 'node:timers/promises';

/** A guard against a test that hangs: a busy machine makes tests slower, and not red. */
const defaultTimeoutSeconds = 600;
/** A pause is half as long as the wait so far, within these. */
const shortestPauseMilliseconds = 10;
const longestPauseMilliseconds = 400;
/**
 * On a busy machine one attempt that waits itself can outlast the timeout, and what it saw is old
 * by then.
 */
const fewestAttempts = 3;

export interface EventuallyOptions {
  /** Default 600. Only for what takes longer, and for chaos, whose finding it is. */
  timeoutSeconds?: number;
  /** Between two looks. Default 10, and longer the longer it takes, up to 400. */
  pollMilliseconds?: number;
}

/**
 * Looks again and again until `look` neither throws nor answers `false`, and returns its answer.
 * When the time is over it fails with what was awaited and what was last seen.
 */
export async function eventually<Answer>(
  what: string | (() => string),
  look: () => Answer | Promise<Answer>,
  options: EventuallyOptions = {},
): Promise<Exclude<Answer, false>> {
  const { timeoutSeconds = defaultTimeoutSeconds, pollMilliseconds } = options;
  const start = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    let seen: unknown = false;
    try {
      const answer = await look();
      if (isAnswer(answer)) return answer;
    } catch (error) {
      seen = error;
    }
    const milliseconds = performance.now() - start;
    if (milliseconds > timeoutSeconds * 1_000 && attempts >= fewestAttempts)
      throw tooLate(what, timeoutSeconds, seen);
    await delay(pollMilliseconds ?? pauseAfter(milliseconds));
  }
}

function isAnswer<Answer>(answer: Answer): answer is Exclude<Answer, false> {
  return answer !== false;
}

function pauseAfter(milliseconds: number): number {
  return Math.min(Math.max(milliseconds / 2, shortestPauseMilliseconds), longestPauseMilliseconds);
}

function tooLate(what: string | (() => string), timeoutSeconds: number, cause: unknown): Error {
  const awaited = typeof what === 'string' ? what : what();
  const seen = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Not within ${timeoutSeconds} s: ${awaited}. Last seen:\n${seen}`);
}
