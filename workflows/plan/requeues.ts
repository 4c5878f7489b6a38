/**
 * What failed is left alone for a while, longer each time, as in the rate limited queues of
 * client-go. Plain data, changed in place.
 */
import { backoffMs } from '../values/backoff.ts';

export interface Requeue {
  /** In a row. */
  failures: number;
  /** Not tried before then, milliseconds; 0: at once. */
  retryAt: number;
  /** Why it failed last, for people; empty where that is not known. */
  message: string;
}

/** By what is tried again. */
export type Requeues<Key extends string = string> = { [Name in Key]?: Requeue };

/** Times in milliseconds. */
export interface Attempt {
  now: number;
  /** From 0 to 1: spreads objects that failed together. */
  random: number;
}

export interface Failure extends Attempt {
  message: string;
  /** It waits no longer than this. */
  longestSeconds?: number | undefined;
  /** It waits until then at least, however often it failed. */
  notBefore?: number | undefined;
}

const pace = { firstMs: 2_000, maxMs: 180_000, jitter: 0.25 };

/** Seconds until the next attempt: 2, 4, 8 ... 180, each shortened by up to a quarter. */
export function stepBackoffSeconds(failures: number, random: number): number {
  return backoffMs({ attempt: failures, ...pace }, random) / 1_000;
}

export function failed<Key extends string>(
  requeues: Requeues<Key>,
  key: Key,
  failure: Failure,
): void {
  requeues[key] = again(requeues[key], failure);
}

function again(before: Requeue | undefined, failure: Failure): Requeue {
  const { message, now, random, longestSeconds = Infinity, notBefore = 0 } = failure;
  const failures = (before?.failures ?? 0) + 1;
  const seconds = Math.min(stepBackoffSeconds(failures, random), longestSeconds);
  return { failures, retryAt: Math.max(now + seconds * 1_000, notBefore), message };
}

/** Of what a run carries under other names; undefined where nothing failed. */
export function requeueOf(failures = 0, retryAt = 0, message = ''): Requeue | undefined {
  return failures > 0 || retryAt > 0 || message !== '' ? { failures, retryAt, message } : undefined;
}

export function forget<Key extends string>(requeues: Requeues<Key>, key: Key): void {
  delete requeues[key];
}

export function isHeld<Key extends string>(
  requeues: Requeues<Key>,
  key: Key,
  now: number,
): boolean {
  return now < (requeues[key]?.retryAt ?? 0);
}

/** They wait no longer: what was missing may be there now. */
export function tryNow(...requeues: readonly (Requeue | undefined)[]): void {
  for (const requeue of requeues) if (requeue) requeue.retryAt = 0;
}

/** When the first of them is to be tried again. */
export function nextAt<Key extends string>(requeues: Requeues<Key>): number | undefined {
  const times = requeuesIn(requeues).flatMap(({ retryAt }) => (retryAt > 0 ? [retryAt] : []));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Why they failed, for people; undefined when nothing did. */
export function messageIn<Key extends string>(requeues: Requeues<Key>): string | undefined {
  return (
    requeuesIn(requeues)
      .flatMap(({ message }) => message || [])
      .join('; ') || undefined
  );
}

function requeuesIn<Key extends string>(requeues: Requeues<Key>): Requeue[] {
  return Object.values<Requeue | undefined>(requeues).filter((requeue) => requeue !== undefined);
}

/** Outcome of writes to several objects. */
export interface Refusals {
  names: string[];
  reason: 'FailedDelete' | 'FailedUpdate';
  /** Of the first object, by name. */
  message: string;
}

/** Objects whose writes were refused: left alone together, while all others go on. */
export type RefusedWrites = Requeue & Refusals;

export interface Writes {
  /** Names of the objects that were written, or need no write any more. */
  tried: readonly string[];
  refused?: Refusals | undefined;
}

export function noteWrites(
  requeues: { refused?: RefusedWrites },
  { tried, refused }: Writes,
  attempt: Attempt,
): void {
  const { refused: before } = requeues;
  const left = before?.names.filter((name) => !tried.includes(name)) ?? [];
  const names = [...new Set([...left, ...(refused?.names ?? [])])];
  // Those that are refused while others still wait are tried again together with these.
  const joins = !refused || (left.length > 0 && isHeld(requeues, 'refused', attempt.now));
  if (names.length === 0) delete requeues.refused;
  else if (before && joins) requeues.refused = { ...before, names };
  else if (refused) {
    requeues.refused = {
      ...refused,
      ...again(before, { ...attempt, message: refused.message }),
      names,
    };
  }
}
