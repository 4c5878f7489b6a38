/**
 * Reasons to search for orphans before the Schedule does. A search costs calls to clouds, so that a
 * worker does not ask for them itself.
 */
import type { ScheduleFacts } from './triggers.ts';

export interface SearchTimes {
  schedule: Pick<ScheduleFacts, 'startedAt'>;
  /** Between two searches. */
  periodSeconds: number;
}

/**
 * Another worker may have started one, or the Schedule: half a period is enough, because two
 * workers do not probe at the same time.
 */
export function wasSearchedLately(
  { schedule: { startedAt }, periodSeconds }: SearchTimes,
  now: number,
): boolean {
  return startedAt !== undefined && now - startedAt < halfMs(periodSeconds);
}

/**
 * An instance may come, or show up in the listing of its cloud, a while after the change that left
 * it without a Machine: what was searched just then has to be searched once more.
 *
 * `changedAt`: milliseconds.
 */
export function isUnsearched(
  { schedule: { startedAt }, periodSeconds }: SearchTimes,
  changedAt: number,
): boolean {
  return startedAt === undefined || startedAt < changedAt + halfMs(periodSeconds);
}

function halfMs(seconds: number): number {
  return (seconds / 2) * 1_000;
}

/** These are kept for a while only; `claimed` has no end. */
const passing = ['young', 'creating', 'deleting'];

/**
 * Reads the report of a run of `safety/orphans`; undefined where it leaves nothing that the next
 * run could decide otherwise. Suspects that a person decides about are left to the Schedule.
 */
export function leftOpenBy(report: unknown): string | undefined {
  const { mode, suspects, stopped, errors, kept, missing }: Record<string, unknown> =
    Object(report);
  if (lengthOf(errors) > 0) return 'the last search failed in part';
  const waiting = passing.find((reason) => Number(Object(kept)[reason]) > 0);
  if (waiting !== undefined) return `the last search kept instances as ${waiting}`;
  if (mode !== 'delete') return undefined;
  if (lengthOf(suspects) > 0 && stopped === undefined) return 'the last search left suspects';
  const { total, stopped: left }: Record<string, unknown> = Object(missing);
  const areMissing = Number(total) > 0 && lengthOf(left) === 0;
  return areMissing ? 'Machines may have lost their instance' : undefined;
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
