/**
 * Machines that the API server does not let a MachineSet write or delete: left alone for a while,
 * as the set goes on with the others.
 */
import { stepBackoffSeconds } from '../step-backoff.ts';

/** Refused writes to several machines. */
export interface Refusals {
  names: string[];
  reason: 'FailedDelete' | 'FailedUpdate';
  /** Error of the first machine, by name. */
  message: string;
}

export interface RefusedMachines extends Refusals {
  /** Times that the same machines were tried in vain. */
  failures: number;
  /** Milliseconds: they are left alone until then. */
  retryAt: number;
}

/**
 * The API server refuses every write when it refuses so many: no other machine is tried until the
 * next attempt.
 */
export const mostRefused = 100;

export function areHeldBack(refused: RefusedMachines | undefined, now: number): boolean {
  return refused !== undefined && now < refused.retryAt;
}

export interface Attempt {
  /** Names of the machines that were tried. */
  tried: readonly string[];
  refused?: Refusals;
  now: number;
  /** From 0 to 1. */
  random: number;
}

export function afterAttempt(
  before: RefusedMachines | undefined,
  { tried, refused, now, random }: Attempt,
): RefusedMachines | undefined {
  const left = before ? without(before, tried) : undefined;
  if (!refused) return left;
  // Those that are refused while others still wait are tried again together with these.
  if (left && areHeldBack(left, now)) return { ...left, names: merged(left, refused) };
  const failures = (before?.failures ?? 0) + 1;
  const seconds = stepBackoffSeconds({ attempts: failures, random });
  const names = left ? merged(left, refused) : refused.names;
  return { ...refused, names, failures, retryAt: now + seconds * 1000 };
}

function without(refused: RefusedMachines, tried: readonly string[]): RefusedMachines | undefined {
  const names = refused.names.filter((name) => !tried.includes(name));
  return names.length === 0 ? undefined : { ...refused, names };
}

function merged(a: Refusals, b: Refusals): string[] {
  return [...new Set([...a.names, ...b.names])];
}
