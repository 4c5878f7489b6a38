/** Begins the next attempt of a blocked drain without waiting for its time. */
import { backoffMs } from '../../../workflows/values/backoff.ts';
import type { DrainRef, PendingDrains } from './pending-drains.ts';
import { nowMs, random, sleep } from '../../system/system.ts';

const attemptsMax = 3;
/** A worker has it by then; doubled with each attempt, and up to a quarter longer. */
const defaultWaitMs = 500;

export interface Haste {
  drain: DrainRef;
  /** Asked after each attempt: this process runs it, or has run it, by now. */
  isUnderWay(): boolean;
  waitMs?: number;
}

/**
 * A reset that meets a running attempt is lost, so it is sent again while the drain still rests.
 * Throws when three did not do.
 */
export async function tryAgainNow(
  server: PendingDrains,
  { drain, isUnderWay, waitMs = defaultWaitMs }: Haste,
): Promise<void> {
  const begunAt = nowMs();
  let failure: unknown = new Error(`${drain.workflowId}: its drain was reset, and nobody began it`);
  // Chance leaves out at most what is added here, so that no wait is shorter than `waitMs`.
  const waits = { firstMs: waitMs * 1.25, maxMs: waitMs * 2 ** attemptsMax, jitter: 0.2 };
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const pause = backoffMs({ attempt, ...waits }, random());
    try {
      await server.reset(drain);
      await sleep(pause, { keepsAlive: false });
      if (isUnderWay() || (await server.read(drain, begunAt)) !== 'resting') return;
    } catch (error) {
      failure = error;
      await sleep(pause, { keepsAlive: false });
    }
  }
  throw failure;
}
