import type { Clock } from '../../../watcher/queue/clock.ts';

interface Timer {
  at: number;
  action: () => void;
}

/** A clock that stands until it is turned. */
export class HandClock implements Clock {
  #now = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#now + milliseconds, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Runs what falls due, in its order, and lets promises settle after each. */
  async turn(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settled();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      const { at, action } = next;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = Math.max(this.#now, at);
      action();
      await settled();
    }
    this.#now = end;
  }

  #next(end: number): Timer | undefined {
    const [first] = this.#timers.toSorted((a, b) => a.at - b.at);
    return first !== undefined && first.at <= end ? first : undefined;
  }
}

/** All promises that can settle without time passing have settled. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
