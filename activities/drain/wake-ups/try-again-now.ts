/** Begins the next attempt of a blocked drain without waiting for its time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DrainRef, PendingDrains } from './pending-drains.ts';

const attemptsMax = 3;
/** A worker has it by then; doubled with each attempt. */
const defaultWaitMs = 500;

export interface Haste {
  drain: DrainRef;
  /** Asked after each attempt: this process runs it, or has run it, by now. */
  isUnderWay(): boolean;
  waitMs?: number;
}

/** A reset that meets a running attempt is lost, so it is sent again while the drain still rests. Throws when three did not do. */
export async function tryAgainNow(
  server: PendingDrains,
  { drain, isUnderWay, waitMs = defaultWaitMs }: Haste,
): Promise<void> {
  const begunAt = Date.now();
  let failure: unknown = new Error(`${drain.workflowId}: its drain was reset, and nobody began it`);
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const pause = waitMs * 2 ** attempt * (1 + Math.random() / 4);
    try {
      await server.reset(drain);
      await sleep(pause, undefined, { ref: false });
      if (isUnderWay() || (await server.read(drain, begunAt)) !== 'resting') return;
    } catch (error) {
      failure = error;
      await sleep(pause, undefined, { ref: false });
    }
  }
  throw failure;
}
