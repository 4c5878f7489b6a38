import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import { clip, longestSummaryBytes } from '../values/clip.ts';

/**
 * A time may come from a timeout of 290 years that a person wrote, and the server's clock ends in
 * 2262. A workflow that is woken too early sets the timer again.
 */
const longestSleepMs = 30 * 24 * 3_600_000;

/**
 * One timer that wakes the loop. A loop that armed a timer at each turn would pay two history
 * events for each; this one is touched only when the time to wake changes.
 */
export class WakeTimer {
  #at: number | undefined;
  #scope: CancellationScope | undefined;
  readonly #wake: () => void;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /**
   * Rings at `at` (milliseconds), or never. `summary` stands beside the timer in the Temporal UI.
   */
  set(at: number | undefined, summary: string): void {
    if (at === this.#at) return;
    this.#scope?.cancel();
    this.#at = at;
    this.#scope = undefined;
    if (at === undefined) return;
    const milliseconds = Math.min(Math.max(at - Date.now(), 1), longestSleepMs);
    const scope = new CancellationScope();
    this.#scope = scope;
    void scope.run(() => this.#wakeAfter(milliseconds, summary));
  }

  /**
   * Rings at `at` or before: a deadline that moves on with every step of progress is not armed anew
   * each time. A workflow that is woken too early sets the timer again.
   */
  atLatest(at: number | undefined, summary: string): void {
    if (at !== undefined && this.#at !== undefined && this.#at <= at) return;
    this.set(at, summary);
  }

  async #wakeAfter(milliseconds: number, summary: string): Promise<void> {
    try {
      await sleep(milliseconds, { summary: clip(summary, longestSummaryBytes) });
    } catch (error) {
      // By set(), which has armed already what comes next.
      if (isCancellation(error)) return;
      throw error;
    }
    this.#at = undefined;
    this.#wake();
  }
}
