/**
 * Whether there is a reason to search for orphans. A search costs calls to clouds, so that a round
 * does not ask them itself.
 */
import type { ScheduleFacts } from './triggers.ts';

export interface SearchTimes {
  schedule: Pick<ScheduleFacts, 'startedAt'>;
  /** Between two searches. */
  periodSeconds: number;
}

/**
 * A round on another worker may have started one, or a person: half a period is enough, because two
 * rounds are never under way at the same time.
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

/** Periods between two searches without another reason: of an install, and of each namespace. */
const periodsBetween = { install: 4, each: 3 };

/**
 * A search costs Temporal Cloud some five actions: those without another reason are to cost an
 * install of many namespaces no more than one of a few.
 *
 * @param namespaces That the install has.
 */
export function isSearchDue(
  { schedule: { startedAt = 0 }, periodSeconds }: SearchTimes,
  namespaces: number,
  now: number,
): boolean {
  const periods = Math.max(periodsBetween.install, periodsBetween.each * namespaces);
  // Rounds are not a period apart to the second.
  return now - startedAt >= periods * periodSeconds * 1_000 - halfMs(periodSeconds);
}

function halfMs(seconds: number): number {
  return (seconds / 2) * 1_000;
}

/** These are kept for a while only; `claimed` has no end. */
const passing = ['young', 'creating', 'deleting'];

/**
 * Reads the report of a run of `safety/orphans`; undefined where it leaves nothing that the next
 * run could decide otherwise. Suspects that a person decides about are no reason.
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
