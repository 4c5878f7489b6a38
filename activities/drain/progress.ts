/**
 * The state that one pass hands to the next, in heartbeat details. A pass without it only evicts
 * pods again that are going already.
 */
import type { DrainReport } from '../../workflows/contracts/drain-activities.ts';
import type { Refusals } from '../../workflows/plan/drain/removals.ts';
import { digestOfBlockers } from '../../workflows/plan/drain/report.ts';
import type { VolumeWait } from '../../workflows/plan/drain/volumes.ts';

export interface DrainProgress {
  /** Pods that were asked to leave, and did not refuse. */
  evicted: number;
  refusals: Refusals;
  volumeWait?: VolumeWait;
  /** Milliseconds, of the first pass that found its Node closed. */
  closedAt?: number;
  /** Volumes that were not detached in time: they are not waited for again. */
  leftAttached?: string[];
  /** The last report to the workflow; empty when nothing was in the way. */
  reported: string;
  /** The deadline that was reported to it, as pauses moved it; absent when they did not. */
  reportedDeadline?: number;
  /** Text of the drain on the Machine; absent or empty when that is nothing bad. */
  told?: string;
  /** Passes fail in this way, since then, milliseconds. */
  failing?: { kind: string; since: number };
}

/**
 * `details`: what an earlier attempt left behind. An activity that was cancelled leaves none, but
 * its reports. A copy: the attempt's own must stay as it was.
 */
export function progressOf(
  details: Partial<DrainProgress> | undefined,
  earlier: DrainReport | undefined,
): DrainProgress {
  const nothing = { evicted: 0, refusals: {}, reported: '' };
  return structuredClone({ ...nothing, ...(details ?? (earlier && progressIn(earlier))) });
}

function progressIn({
  blockers,
  volumeWait,
  deadline,
}: DrainReport): Omit<DrainProgress, 'evicted'> {
  const refusals: Refusals = {};
  for (const { podUid, since, why, blockedBy, nextTryAt, isHopeless = false } of blockers) {
    if (nextTryAt === undefined) continue;
    const isOfBudget = blockedBy.startsWith('PodDisruptionBudget/');
    refusals[podUid] = { since, why, blockedBy, nextTryAt, isHopeless, isOfBudget };
  }
  const reported = digestOfBlockers(blockers);
  return {
    refusals,
    reported,
    told: reported,
    ...(volumeWait && { volumeWait }),
    ...(deadline !== undefined && { reportedDeadline: deadline }),
  };
}

/**
 * Digest of the changes that are worth a heartbeat. The time of a pod's next eviction is not: an
 * attempt that does not know it evicts at once, and it begins when a pod is due.
 */
export function newsIn({ refusals, ...rest }: DrainProgress): string {
  const lasting = Object.entries(refusals).map(([uid, { nextTryAt: _untold, ...refusal }]) => {
    return [uid, refusal];
  });
  return JSON.stringify([rest, lasting]);
}
