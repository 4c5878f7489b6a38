import { setTimeout as pause } from 'node:timers/promises';

/** A guard against a test that hangs: a busy machine makes tests slower, and not red. */
const longestWaitMs = 600_000;
const pollMs = 10;

/** Waits until the condition holds; fails with what was awaited. */
export async function eventually(
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + longestWaitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      const awaited = typeof what === 'string' ? what : what();
      throw new Error(`not within ${longestWaitMs / 1000} s: ${awaited}`);
    }
    await pause(pollMs);
  }
}
