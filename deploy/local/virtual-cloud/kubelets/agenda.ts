import { backoffMs } from '../../../../workflows/values/backoff.ts';

/** When it is to be done again, milliseconds; undefined: it is done. Failed work is tried again. */
export type Work = () => Promise<number | undefined>;

interface Entry {
  key: string;
  at: number;
  work: Work;
  failures: number;
  /** Due, and not done yet. */
  isTaken: boolean;
}

/** Fewer than the connections to the API server. */
const atOnce = 8;
const pollMilliseconds = 200;
/** Short: after an outage all Leases are overdue. */
const wait = { firstMs: 100, maxMs: 2_000, jitter: 0.5 };

/** Does what is due, a few things at a time. One timer is for all. */
export class Agenda {
  readonly #entries = new Map<string, Entry>();
  readonly #due: Entry[] = [];
  readonly #timer = setInterval(() => this.#takeDue(), pollMilliseconds);
  #running = 0;

  /** In the place of what was planned under this key. */
  plan(key: string, at: number, work: Work): void {
    const entry = { key, at, work, failures: 0, isTaken: false };
    this.#entries.set(key, entry);
    this.#take(entry, Date.now());
  }

  drop(key: string): void {
    this.#entries.delete(key);
  }

  /** Work that is under way ends by itself. */
  close(): void {
    clearInterval(this.#timer);
    this.#entries.clear();
  }

  #takeDue(): void {
    const now = Date.now();
    for (const entry of this.#entries.values()) this.#take(entry, now);
  }

  #take(entry: Entry, now: number): void {
    if (entry.isTaken || entry.at > now) return;
    entry.isTaken = true;
    this.#due.push(entry);
    this.#fill();
  }

  #fill(): void {
    while (this.#running < atOnce) {
      const entry = this.#due.shift();
      if (entry === undefined) return;
      if (this.#isPlanned(entry)) void this.#do(entry);
    }
  }

  async #do(entry: Entry): Promise<void> {
    this.#running += 1;
    const at = await entry.work().then(
      (next) => {
        entry.failures = 0;
        return next;
      },
      () => {
        entry.failures += 1;
        return Date.now() + backoffMs({ attempt: entry.failures, ...wait }, Math.random());
      },
    );
    this.#running -= 1;
    if (this.#isPlanned(entry)) {
      if (at === undefined) this.#entries.delete(entry.key);
      else Object.assign(entry, { at, isTaken: false });
    }
    this.#fill();
  }

  /** It was neither dropped nor planned anew. */
  #isPlanned(entry: Entry): boolean {
    return this.#entries.get(entry.key) === entry;
  }
}
