/** When a machine tries again after its cloud refused it. */
import { stepBackoffSeconds } from '../requeues.ts';
import type { StepFailure } from './facts.ts';

export interface BackoffInput {
  failure: StepFailure;
  /** Failures so far, this one included; without those that have a pace of their own. */
  attempts: number;
  /** From 0 to 1: spreads objects that failed together. */
  random: number;
  /** `--resource-exhausted-retry`. Absent: it is not room that is asked for. */
  resourceExhaustedRetrySeconds?: number;
}

/**
 * Seconds until the next attempt: 2, 4, 8 ... 180, each shortened by up to a quarter. A cloud that
 * says when to come back is heard; one that has no room is left alone for
 * `--resource-exhausted-retry`. A repaired class or Secret wakes a machine earlier, so that a wrong
 * class never costs MCM's dead wait of 3 or 10 minutes.
 */
export function backoffSeconds(input: BackoffInput): number {
  const { failure, attempts, random } = input;
  if (failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * (1 + random / 4);
  if (hasOwnPace(input)) return (input.resourceExhaustedRetrySeconds ?? 0) * (1 - random / 4);
  return stepBackoffSeconds(attempts, random);
}

/**
 * The cloud or a flag says when to come back. However often that was: the next failure of another
 * kind is a first one.
 */
export function hasOwnPace({
  failure,
  resourceExhaustedRetrySeconds,
}: Pick<BackoffInput, 'failure' | 'resourceExhaustedRetrySeconds'>): boolean {
  if (failure.retryAfterSeconds !== undefined) return true;
  // An instance that exists has its room.
  const hasNoRoom = failure.code === 'ResourceExhausted' && failure.during === undefined;
  return resourceExhaustedRetrySeconds !== undefined && hasNoRoom;
}
