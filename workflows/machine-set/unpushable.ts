/** Machines that do not take the template of their set, from push to push. */
import type { Unpushable } from '../contracts/machine-set-activities.ts';
import { stepBackoffSeconds } from '../plan/step-backoff.ts';
import { defined } from '../values/defined.ts';

export interface KnownUnpushable extends Unpushable {
  /** Pushes in a row that met a fault of the server. */
  failures?: number;
  /** All of them are tried again then, milliseconds; absent: not before the spec changes. */
  retryAt?: number;
}

export interface PushAttempt {
  /** Names of the machines that were tried. */
  tried: readonly string[];
  outcome: Unpushable;
  now: number;
  /** From 0 to 1. */
  random: number;
}

/** Undefined when all take it. */
export function afterPush(
  before: KnownUnpushable | undefined,
  attempt: PushAttempt,
): KnownUnpushable | undefined {
  const { tried, outcome } = attempt;
  const isSameSpec = before?.generation === outcome.generation;
  const others = isSameSpec ? before.names.filter((name) => !tried.includes(name)) : [];
  const names = [...others, ...outcome.names];
  if (names.length === 0) return undefined;
  const known: Partial<KnownUnpushable> = isSameSpec ? before : {};
  const kept = others.length > 0 ? known : {};
  const { failures, retryAt } = outcome.mayPass ? retryAfter(known, attempt) : kept;
  const { generation, error = known.error } = outcome;
  return defined({ generation, names, error, failures, retryAt });
}

type Retry = Pick<KnownUnpushable, 'failures' | 'retryAt'>;

function retryAfter({ failures: before = 0 }: Retry, { now, random }: PushAttempt): Retry {
  const failures = before + 1;
  return { failures, retryAt: now + stepBackoffSeconds({ attempts: failures, random }) * 1_000 };
}

/** Their time has come. */
export function isPushDue({ retryAt }: KnownUnpushable, now: number): boolean {
  return retryAt !== undefined && retryAt <= now;
}
