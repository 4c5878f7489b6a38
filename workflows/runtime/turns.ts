/** The turns of a workflow's loop. */
import { sleep } from '@temporalio/workflow';
import { ofTurns, StepGuard } from '../plan/step-guard.ts';

const turn = 'a turn of the loop';

export class Turns {
  readonly #guard = new StepGuard(ofTurns);

  /**
   * At the beginning of each turn: after many without a wait each costs a pause. Not async: the SDK
   * captures a stack for every promise of a workflow, and most turns have no pause.
   */
  next(): Promise<void> | undefined {
    const now = Date.now();
    const hold = this.#guard.holdOf(turn, now);
    this.#guard.begin(turn, hold?.until ?? now, Math.random);
    return hold && sleep(hold.until - now);
  }

  /** The loop has waited for something that was not there yet, or has come forward. */
  rested(): void {
    this.#guard.rested();
  }
}
