/** How long a call of the driver waits in the cloud, and how often it asks meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fault } from './error-mapping.ts';

export interface PatienceOptions {
  /** Of all waiting together. */
  limitSeconds: number;
  firstPauseSeconds: number;
}

const longestPauseSeconds = 10;

export class Patience {
  readonly #signal: AbortSignal;
  readonly #endsAt: number;
  #pauseSeconds: number;

  constructor({ limitSeconds, firstPauseSeconds }: PatienceOptions, signal: AbortSignal) {
    this.#signal = signal;
    this.#endsAt = performance.now() + limitSeconds * 1_000;
    this.#pauseSeconds = firstPauseSeconds;
  }

  get remainingSeconds(): number {
    return Math.max(0, (this.#endsAt - performance.now()) / 1_000);
  }

  /**
   * Twice as long each time, up to ten seconds, and at least `atLeastSeconds`. Of that a random part of up to a half is left out, so
   * that those who began together do not ask together. False at once, when no time would be left afterwards.
   */
  async pause(atLeastSeconds = 0): Promise<boolean> {
    const jittered = this.#pauseSeconds * (1 - Math.random() / 2);
    this.#pauseSeconds = Math.min(this.#pauseSeconds * 2, longestPauseSeconds);
    const seconds = Math.max(jittered, atLeastSeconds);
    if (seconds >= this.remainingSeconds) return false;
    try {
      await sleep(seconds * 1_000, undefined, { signal: this.#signal });
    } catch {
      throw fault('cancelled', 'cancelled while it waited for Google Compute Engine');
    }
    return true;
  }
}
