/** When to try again. */
import type { MachineFailure } from './machine.ts';

const firstSeconds = 2;
const longestSeconds = 180;

export interface BackoffInput {
  failure: MachineFailure;
  /** Failures so far, this one included. */
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
  const jitter = 1 - random / 4;
  if (failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * (1 + random / 4);
  const { resourceExhaustedRetrySeconds: pause } = input;
  if (pause !== undefined && hasNoRoom(failure)) return pause * jitter;
  const doublings = Math.min(attempts - 1, 10);
  return Math.min(firstSeconds * 2 ** doublings, longestSeconds) * jitter;
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
function hasNoRoom({ code, during }: MachineFailure): boolean {
  return code === 'ResourceExhausted' && during === undefined;
}
