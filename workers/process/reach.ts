/** Waits for the servers that we need. They may start after us, in any order. */
import type { Logger } from 'pino';
import { reasonOf } from '../log/reason.ts';
import { backoffMs } from '../../workflows/values/backoff.ts';
import { random, sleep } from '../../activities/system/system.ts';

export interface Reach<T> {
  /** Name of the server in the log: `Temporal`, `control cluster`. */
  server: string;
  attempt: () => Promise<T>;
  log: Logger;
  /** Ends the waiting: its reason is thrown. */
  signal: AbortSignal;
  /** Called with why it is waited for, at each attempt that fails; undefined: it answers. */
  onReason?: ((reason: string | undefined) => void) | undefined;
  /** First and longest wait between two attempts. Default 0.25 s and 2 s. */
  waitMs?: { first: number; max: number };
}

/**
 * Tries until it works, with a line for each failure, waiting longer each time; each wait is
 * between half and all of its length.
 */
export async function untilReached<T>(reach: Reach<T>): Promise<T> {
  const { server, attempt, log, signal, onReason } = reach;
  const { waitMs = { first: 250, max: 2_000 } } = reach;
  for (let attempts = 1; ; attempts += 1) {
    signal.throwIfAborted();
    try {
      const reached = await attempt();
      log.info({ server, attempts }, 'reached');
      onReason?.(undefined);
      return reached;
    } catch (err) {
      const range = { firstMs: waitMs.first, maxMs: waitMs.max, jitter: 0.5 };
      const wait = Math.round(backoffMs({ attempt: attempts, ...range }, random()));
      const reason = reasonOf(err);
      log.warn({ server, attempts, reason, retryInMs: wait }, 'cannot be reached');
      onReason?.(`waits for ${server}: ${reason}`);
      await sleep(wait, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
