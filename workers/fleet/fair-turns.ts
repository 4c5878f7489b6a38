/**
 * Lets many namespaces share a number of calls that may be under way: one with thousands to make
 * gives way to each other one after each of its own.
 */
export class FairTurns {
  readonly #most: number;
  /** Calls that wait, by who makes them. Whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  /** `most` at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  async take<Answer>(whose: string, call: () => Promise<Answer>): Promise<Answer> {
    if (this.#running >= this.#most) await this.#turnOf(whose);
    else this.#running += 1;
    try {
      return await call();
    } finally {
      this.#next();
    }
  }

  async #turnOf(whose: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = this.#waiting.get(whose) ?? [];
    others.push(resolve);
    this.#waiting.set(whose, others);
    await promise;
  }

  /** The place of a call that ended goes to one that waits, or is free. */
  #next(): void {
    const [first] = this.#waiting;
    if (!first) return void (this.#running -= 1);
    const [whose, waiting] = first;
    const begin = waiting.shift();
    this.#waiting.delete(whose);
    if (waiting.length > 0) this.#waiting.set(whose, waiting);
    begin?.();
  }
}
