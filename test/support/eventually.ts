import { setTimeout as pause } from 'node:timers/promises';

const longestWaitMs = 60_000;
const pollMs = 10;

/** Waits until the condition holds; fails with what was awaited. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + longestWaitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${longestWaitMs / 1000} s: ${what}`);
    await pause(pollMs);
  }
}
