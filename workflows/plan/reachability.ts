/** For how long an API server has been out of reach, and when it is asked again. */
import type { ReachabilityCheck, Server } from '../safety-port.ts';

export interface Outage {
  away: readonly Server[];
  /** Milliseconds. */
  since: number;
}

type Limits = Pick<ReachabilityCheck, 'timeoutSeconds' | 'periodSeconds'>;

/** An outage that ended is forgotten: the next one counts from its own beginning, unlike in MCM v0.62.1. */
export function afterAnswer(
  before: Outage | undefined,
  away: readonly Server[],
  now: number,
): Outage | undefined {
  return away.length === 0 ? undefined : { away, since: before?.since ?? now };
}

export function isFrozen({ since }: Outage, { timeoutSeconds }: Limits, now: number): boolean {
  return now - since >= timeoutSeconds * 1_000;
}

const shortestSeconds = 1;

/** As in MCM v0.62.1: a fifth of the timeout until then, the period after it. */
export function nextLookSeconds(outage: Outage, limits: Limits, now: number): number {
  const { timeoutSeconds, periodSeconds } = limits;
  const seconds = isFrozen(outage, limits, now) ? periodSeconds : timeoutSeconds / 5;
  return Math.max(seconds, shortestSeconds);
}

/** So many periods without a look mean that nobody knows what was meanwhile. */
const longestGap = 3;

/** Where the run before ended in an outage: it goes on. */
export function lastOutage(
  lastResult: unknown,
  now: number,
  { periodSeconds }: Limits,
): Outage | undefined {
  const { since, lookedAt, away }: { since?: unknown; lookedAt?: unknown; away?: unknown } =
    Object(lastResult);
  const begun = Date.parse(String(since));
  const gap = now - Date.parse(String(lookedAt));
  const isFresh = gap <= longestGap * Math.max(periodSeconds, shortestSeconds) * 1_000;
  if (!Array.isArray(away) || away.length === 0 || Number.isNaN(begun) || !isFresh)
    return undefined;
  return { away, since: begun };
}
