/**
 * The pauses that a worker knows of: those on the Lease, and what a Lease said that was deleted.
 * The time until there was another one is a pause as well, which no watcher may know of.
 */
import type { NotedPause } from '../objects/pauses.ts';
import { bounded, readPauses } from '../objects/pauses.ts';

interface SeenLease {
  uid: string;
  /** The annotation. */
  noted: string;
}

/** A Lease that was taken away is made again within seconds where a watcher leads. */
const shortestMs = 10_000;

export class PauseHistory {
  #lease: SeenLease | undefined;
  /** When the Lease was seen last, milliseconds. */
  #seenAt = 0;
  #pauses: NotedPause[] = [];
  #before: NotedPause[] = [];

  see({ uid, noted }: SeenLease, now: number): void {
    const known = this.#lease;
    const isAnother = known !== undefined && known.uid !== uid;
    if (isAnother) this.#replace(now);
    if (isAnother || known?.noted !== noted) this.#pauses = readPauses(noted);
    this.#lease = { uid, noted };
    this.#seenAt = now;
  }

  pauses(): NotedPause[] {
    return [...this.#before, ...this.#pauses];
  }

  /**
   * A pause that lasted ends with the Lease, and is noted anew on the next one if it still lasts.
   */
  #replace(now: number): void {
    const ended = this.#pauses.map((pause) => ({ ...pause, until: pause.until ?? now }));
    const gap: NotedPause = { reason: 'watcher', from: this.#seenAt, until: now };
    const isLong = now - this.#seenAt >= shortestMs;
    this.#before = bounded([...this.#before, ...ended, ...(isLong ? [gap] : [])], now);
    this.#pauses = [];
  }
}
