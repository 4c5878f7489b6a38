/**
 * When a machine's workflow checks its preservation, and when it drains the Node of a Failed
 * machine that is kept.
 */

/** Times in milliseconds. Absent where no annotation asks for it. */
export interface PreservationFacts {
  /** Annotations, expiry, Node or phase are other than at the last check. */
  mustCheck: boolean;
  /** It is preserved until then. */
  until?: number;
  /** An API server was out of reach: not before this. */
  checkAt?: number;
  /** The Node of a Failed machine is not drained yet. */
  mustDrain: boolean;
  /** The last attempt failed: not before this. */
  drainAt?: number;
  /** Label `force-drain`. */
  forcesDrain: boolean;
}

type PreservationStep = { action: 'preserve' } | { action: 'drainPreserved' };

/** Nothing while all is as it should be. */
export function planPreservationStep(
  facts: PreservationFacts,
  now: number,
): PreservationStep | undefined {
  const { checkAt = 0, drainAt = 0, mustDrain } = facts;
  if (isToCheck(facts, now)) return now >= checkAt ? { action: 'preserve' } : undefined;
  return mustDrain && now >= drainAt ? { action: 'drainPreserved' } : undefined;
}

function isToCheck({ mustCheck, until = Infinity }: PreservationFacts, now: number): boolean {
  return mustCheck || now >= until;
}

/** When one of these comes due. */
export function nextPreservationTime(
  { until, checkAt, drainAt, mustDrain }: PreservationFacts,
  now: number,
): number | undefined {
  const times = [until, checkAt, mustDrain ? drainAt : undefined];
  const coming = times.filter((time) => time !== undefined).filter((time) => time > now);
  return coming.length === 0 ? undefined : Math.min(...coming);
}
