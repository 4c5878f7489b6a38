/** For how long an API server has been out of reach, and when it is asked again. */

export type Server = 'control' | 'target';

export interface ReachabilityLimits {
  /** An outage that lasts longer is shown. */
  timeoutSeconds: number;
  periodSeconds: number;
}

export interface Outage {
  away: readonly Server[];
  /** Milliseconds. */
  since: number;
}

/**
 * An outage that ended is forgotten: the next one counts from its own beginning, unlike in MCM
 * v0.62.1.
 */
export function afterAnswer(
  before: Outage | undefined,
  away: readonly Server[],
  now: number,
): Outage | undefined {
  return away.length === 0 ? undefined : { away, since: before?.since ?? now };
}

export function isFrozen(
  { since }: Outage,
  { timeoutSeconds }: ReachabilityLimits,
  now: number,
): boolean {
  return now - since >= timeoutSeconds * 1_000;
}

const shortestSeconds = 1;
/** A run has to come to its end before Temporal ends it, and pauses its Schedule. */
const longestSeconds = 60;

/**
 * As in MCM v0.62.1: a fifth of the timeout until then, the period after it; but at least once a
 * minute.
 */
export function nextCheckSeconds(outage: Outage, limits: ReachabilityLimits, now: number): number {
  const { timeoutSeconds, periodSeconds } = limits;
  const seconds = isFrozen(outage, limits, now) ? periodSeconds : timeoutSeconds / 5;
  return Math.min(Math.max(seconds, shortestSeconds), longestSeconds);
}

/** After so many periods without a check nothing is known of the time between. */
const longestGap = 3;

/** The run before ended in an outage: it goes on. `checkedAt`: milliseconds. */
export function resumed(
  { checkedAt, ...outage }: Outage & { checkedAt: number },
  now: number,
  { periodSeconds }: ReachabilityLimits,
): Outage | undefined {
  const gap = longestGap * Math.max(periodSeconds, shortestSeconds) * 1_000;
  return outage.away.length > 0 && now - checkedAt <= gap ? outage : undefined;
}
