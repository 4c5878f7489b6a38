import { randomFrom } from '../support/seeded-random.ts';

interface Weighted {
  weight: number;
}

/** Draws from a seed: the same draws in the same order for the same seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomFrom(seed);
  }

  /** From 0 (in) to 1 (out). */
  share(): number {
    return this.#next();
  }

  /** A whole number, both ends in. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  oneOf<T>(items: readonly T[]): T {
    const item = items[this.whole(0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to choose from.');
    return item;
  }

  weighted<T extends Weighted>(items: readonly T[]): T {
    let left = this.#next() * items.reduce((sum, { weight }) => sum + weight, 0);
    const found = items.find(({ weight }) => (left -= weight) < 0);
    if (found === undefined) throw new Error('There is nothing to choose from.');
    return found;
  }
}
