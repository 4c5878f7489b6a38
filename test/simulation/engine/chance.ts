/** The only source of randomness of a simulation. */
import { randomFrom } from '../../support/seeded-random.ts';

export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomFrom(seed);
  }

  /** From 0 up to 1. */
  readonly share = (): number => this.#next();

  /**
   * True in this share of all cases. It draws also for a share of 0, so that leaving out what never
   * happened shifts nothing else.
   */
  happens(share: number): boolean {
    return this.#next() < share;
  }

  /** A whole number from 0 up to `limit`, which is left out. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  between(least: number, most: number): number {
    return least + this.#next() * (most - least);
  }

  /** As often within each tenfold: from 1 to 10 as often as from 100 to 1,000. */
  acrossScales(least: number, most: number): number {
    return least * (most / least) ** this.#next();
  }

  /** Throws for an empty list. */
  pick<T>(from: readonly T[]): T {
    const found = from[this.below(from.length)];
    if (found === undefined) throw new RangeError('there is nothing to pick from');
    return found;
  }

  /** As often as its weight says. Undefined where all weights are 0. */
  weighted<T>(choices: readonly { value: T; weight: number }[]): T | undefined {
    let left = this.#next() * choices.reduce((sum, { weight }) => sum + weight, 0);
    for (const { value, weight } of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return undefined;
  }

  /** Another source that is drawn from by itself: what one part asks does not shift the others. */
  fork(): Chance {
    return new Chance(Math.floor(this.#next() * 2 ** 32));
  }

  /** In the form of a version 4 UUID. */
  uuid(): string {
    const digits = Array.from({ length: 32 }, () => this.below(16).toString(16)).join('');
    const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`];
    return [...parts, `a${digits.slice(17, 20)}`, digits.slice(20)].join('-');
  }
}
