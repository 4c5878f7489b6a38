/** Read, decide, write, and all of it anew where another client wrote meanwhile. */
import { random, sleep } from '../../activities/system/system.ts';
import { isConflict } from './errors.ts';

export interface ConflictRetry {
  /** Which failures say that another attempt may succeed. Default: `isConflict`. */
  isAnew?: (error: unknown) => boolean;
  /** Attempts in all, for what changes several times within a second. Default 5. */
  tries?: number;
}

/** At least; up to twice as long, so that two clients do not meet again. */
const pauseMs = 10;

/**
 * Returns what `attempt` returns. It reads the object itself where `isAgain`; the first time it may
 * rest on what its caller has read. Throws what the last attempt threw. As `RetryOnConflict` of
 * client-go does with `DefaultRetry`: five attempts, 10 ms or more apart.
 */
export async function retryOnConflict<T>(
  attempt: (isAgain: boolean) => Promise<T>,
  { isAnew = isConflict, tries = 5 }: ConflictRetry = {},
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(tried > 1);
    } catch (error) {
      if (!isAnew(error) || tried === tries) throw error;
    }
    await sleep(pauseMs * (1 + random()));
  }
}
