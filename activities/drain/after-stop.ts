/** Times of a drain as they are after everything was stopped: what nobody could do does not count as refused or late. */
import type { Span } from '../kube/global-stop.ts';
import type { DrainProgress } from './progress.ts';

/** Milliseconds. `from`: when the drain began. */
export function deadlineAfter(
  stop: Span | undefined,
  { deadline, from }: { deadline: number; from: number },
): number {
  if (!stop || stop.until <= from) return deadline;
  return deadline + stop.until - Math.max(stop.from, from);
}

/** Counts anew from the end of the stop; nothing changes when it is done again. */
export function progressAfter(stop: Span | undefined, progress: DrainProgress): DrainProgress {
  if (!stop) return progress;
  const { refusals, volumeWait } = progress;
  for (const refusal of Object.values(refusals)) {
    if (refusal.since >= stop.until) continue;
    refusal.since = stop.until;
    refusal.nextTryAt = Math.min(refusal.nextTryAt, stop.until);
  }
  if (!volumeWait || volumeWait.since >= stop.until) return progress;
  const until = volumeWait.until + stop.until - volumeWait.since;
  return { ...progress, volumeWait: { ...volumeWait, since: stop.until, until } };
}
