/** The turns of a workflow's loop. */
import { sleep } from '@temporalio/workflow';
import { ofTurns, RateLimit } from '../plan/rate-limit.ts';
import type { Attempt } from '../plan/requeues.ts';

const turn = 'a turn of the loop';

export class Turns {
  readonly #limit = new RateLimit(ofTurns);

  /**
   * At the beginning of each turn: after many without a wait each costs a pause. Not async: the SDK
   * captures a stack for every promise of a workflow, and most turns have no pause.
   */
  next(): Promise<void> | undefined {
    const now = Date.now();
    const until = this.#limit.when(turn, now, Math.random);
    if (until === undefined) return undefined;
    this.#limit.when(turn, until, Math.random);
    return sleep(until - now);
  }

  /** The loop has waited for something that was not there yet, or has come forward. */
  rested(): void {
    this.#limit.forget();
  }
}

/** Of a step that ended now, in the time and by the chance of the workflow. */
export function attemptNow(): Attempt {
  return { now: Date.now(), random: Math.random() };
}
