/**
 * Whether Temporal answers, for `/readyz`. The SDK connects again by itself and says nothing: a
 * process that has lost Temporal would seem ready for hours.
 */
import type { Timer } from '../../activities/system/system.ts';
import { every, monotonicMs } from '../../activities/system/system.ts';

const periodMs = 15_000;
/** A server that restarts, or moves to another address, is back before. */
const longestSilenceMs = 60_000;

export interface TemporalReachOptions {
  /** Of the server, for people. */
  address: string;
  /** One call, with a time limit of its own. Fails when there is no answer. */
  ask(): Promise<unknown>;
}

export class TemporalReach {
  readonly #options: TemporalReachOptions;
  readonly #timer: Timer;
  #answeredAt = monotonicMs();
  #isAsking = false;

  /** It has just answered. */
  constructor(options: TemporalReachOptions) {
    this.#options = options;
    this.#timer = every(periodMs, () => void this.#ask(), { keepsAlive: false });
  }

  /** For people; undefined while it answers, or did within the last minute. */
  fault(): string | undefined {
    const silence = monotonicMs() - this.#answeredAt;
    if (silence <= longestSilenceMs) return undefined;
    const seconds = Math.floor(silence / 1_000);
    return `Temporal at ${this.#options.address} has not answered for ${seconds} s`;
  }

  close(): void {
    this.#timer.cancel();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#options.ask();
      this.#answeredAt = monotonicMs();
    } catch {
      // The answer that is missing is what counts; the calls of the work itself log the reason.
    } finally {
      this.#isAsking = false;
    }
  }
}
