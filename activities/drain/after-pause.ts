/**
 * Progress of a drain as it is after a pause: what nothing could be done about does not count as
 * refused or late.
 */
import type { Period } from '../../workflows/values/pauses.ts';
import { unionOf } from '../../workflows/values/pauses.ts';
import type { DrainProgress } from './progress.ts';

/** Counts anew from the end of the last pause; nothing changes when it is done again. */
export function progressAfter(pauses: readonly Period[], progress: DrainProgress): DrainProgress {
  const end = unionOf(pauses).at(-1)?.until;
  if (end === undefined) return progress;
  const { refusals, volumeWait } = progress;
  for (const refusal of Object.values(refusals)) {
    if (refusal.since >= end) continue;
    refusal.since = end;
    refusal.nextTryAt = Math.min(refusal.nextTryAt, end);
  }
  if (!volumeWait || volumeWait.since >= end) return progress;
  const until = volumeWait.until + end - volumeWait.since;
  return { ...progress, volumeWait: { ...volumeWait, since: end, until } };
}
