/** When to try again. */
import { backoffMs } from '../../values/backoff.ts';
import type { StepFailure } from './plan.ts';

/** At most a quarter of a wait is left out. */
const jitter = 0.25;
const wait = { firstMs: 2_000, maxMs: 180_000, jitter };

export interface BackoffInput {
  failure: StepFailure;
  /** Failures so far, this one included; without those that have a pace of their own. */
  attempts: number;
  /** `--resource-exhausted-retry`. Absent: it is not room that is asked for. */
  resourceExhaustedRetrySeconds?: number;
  /** From 0 to 1: spreads machines that failed together. */
  random: number;
}

/**
 * Seconds until the next attempt: 2, 4, 8 ... 180, each shortened by up to a quarter. A cloud that says when to come
 * back is heard; one that has no room is left alone for `--resource-exhausted-retry`. A repaired class or Secret
 * wakes a machine earlier, so that a wrong class never costs MCM's dead wait of 3 or 10 minutes.
 */
export function backoffSeconds(input: BackoffInput): number {
  const { failure, attempts, random } = input;
  if (failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * (1 + random / 4);
  if (hasOwnPace(input)) return (input.resourceExhaustedRetrySeconds ?? 0) * (1 - jitter * random);
  return backoffMs({ attempt: attempts, ...wait }, random) / 1_000;
}

/** Somebody says when to come back. However often that was: the next failure of another kind is a first one. */
export function hasOwnPace({
  failure,
  resourceExhaustedRetrySeconds,
}: Pick<BackoffInput, 'failure' | 'resourceExhaustedRetrySeconds'>): boolean {
  if (failure.retryAfterSeconds !== undefined) return true;
  return resourceExhaustedRetrySeconds !== undefined && hasNoRoom(failure);
}

/** The same for a step on Kubernetes that was refused: no cloud has a say in it. */
export function stepBackoffSeconds({
  message,
  attempts,
  random,
}: Pick<BackoffInput, 'attempts' | 'random'> & { message: string }): number {
  const failure = { code: 'Internal', message, isSettled: true } as const;
  return backoffSeconds({ failure, attempts, random });
}

/** An instance that exists has its room. */
function hasNoRoom({ code, during }: StepFailure): boolean {
  return code === 'ResourceExhausted' && during === undefined;
}
