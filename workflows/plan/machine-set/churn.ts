/**
 * Machines that fail before they join are replaced ever later: whatever keeps them from joining
 * keeps their successors as well, and each costs an instance. A machine that joins ends it.
 */
import { formatDuration } from '../../api/duration.ts';
import { backoffMs } from '../../values/backoff.ts';
import { isFailed, isPresent, isPreserved } from './deletions.ts';
import type { MachineFact } from './scale-down.ts';
import { orderForScaleDown } from './scale-down.ts';

/** Times in milliseconds. */
export interface Churn {
  /** Replacements in a row of machines that had not joined. */
  rounds: number;
  /** Time of the first of them: a machine that was made later and joins ends it. */
  since: number;
  /** Time of the last of them. */
  at: number;
  /** So long the next one waits, from then or from its own failure. */
  waitMs: number;
}

const wait = { firstMs: 10_000, maxMs: 1_800_000, jitter: 0.25 };

/** `random`: from 0 to 1. */
export function afterReplacement(
  before: Churn | undefined,
  { now, random }: { now: number; random: number },
): Churn {
  const rounds = (before?.rounds ?? 0) + 1;
  const waitMs = Math.round(backoffMs({ attempt: rounds, ...wait }, random));
  return { rounds, since: before?.since ?? now, at: now, waitMs };
}

export interface Unjoined {
  /** Failed before they joined, and may be replaced now. */
  free: string[];
  /** Not yet. */
  held: string[];
  /** When the next one may, milliseconds; absent when none is held. */
  nextAt?: number;
}

/** All at first; then one at a time. */
export function unjoinedAmong(
  machines: readonly MachineFact[],
  { churn, now }: { churn: Churn | undefined; now: number },
): Unjoined {
  const unjoined = orderForScaleDown(machines, now).flatMap((machine) => {
    const { name, unjoinedSince: failedAt } = machine;
    const isFree = isPresent(machine) && isFailed(machine) && !isPreserved(machine, now);
    return isFree && failedAt !== undefined ? [{ name, failedAt }] : [];
  });
  const names = unjoined.map(({ name }) => name);
  if (!churn || names.length === 0) return { free: names, held: [] };
  const firstAt = Math.min(...unjoined.map(({ failedAt }) => failedAt));
  const dueAt = Math.max(churn.at, firstAt) + churn.waitMs;
  if (now < dueAt) return { free: [], held: names, nextAt: dueAt };
  return { free: names.slice(0, 1), held: names.slice(1), nextAt: now + churn.waitMs };
}

export interface Joined {
  /** When the machines that joined were made, milliseconds. */
  createdAt: readonly number[];
  wanted: number;
}

/** A newer one has joined, or there are as many as are wanted. */
export function isOver({ since }: Churn, { createdAt, wanted }: Joined): boolean {
  return createdAt.length >= wanted || createdAt.some((time) => time > since);
}

/** The first may have been an accident. */
export function isChurning(churn: Churn | undefined): churn is Churn {
  return churn !== undefined && churn.rounds > 1;
}

export function churnText({ rounds, waitMs }: Churn): string {
  const later = formatDuration(Math.round(waitMs / 1_000));
  return `Failed machines were replaced ${rounds} times in a row, and none of the new ones joined: the next one is replaced ${later} after it failed, one at a time, until one joins`;
}
