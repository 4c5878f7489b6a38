/** How long to wait before a step that failed is tried again. */

const firstSeconds = 2;
const longestSeconds = 180;

export interface StepBackoffInput {
  /** Failures so far, this one included. */
  attempts: number;
  /** From 0 to 1: spreads objects that failed together. */
  random: number;
}

/** Seconds until the next attempt: 2, 4, 8 ... 180, each shortened by up to a quarter. */
export function stepBackoffSeconds({ attempts, random }: StepBackoffInput): number {
  const doublings = Math.min(attempts - 1, 10);
  return Math.min(firstSeconds * 2 ** doublings, longestSeconds) * (1 - random / 4);
}
