/** How long to wait before a step that failed is tried again. */
import { backoffMs } from '../values/backoff.ts';

const wait = { firstMs: 2_000, maxMs: 180_000, jitter: 0.25 };

export interface StepBackoffInput {
  /** Failures so far, this one included. */
  attempts: number;
  /** From 0 to 1: spreads objects that failed together. */
  random: number;
}

/** Seconds until the next attempt: 2, 4, 8 ... 180, each shortened by up to a quarter. */
export function stepBackoffSeconds({ attempts, random }: StepBackoffInput): number {
  return backoffMs({ attempt: attempts, ...wait }, random) / 1_000;
}
