/**
 * Finds a small setup that still breaks the rule that a large one broke. It tries smaller ones, one
 * after the other, in a fixed order and to a fixed limit: a setup is always shrunk to the same one.
 */
import type { Violation } from '../engine/simulation.ts';
import { startMs, type Setup } from './simulator.ts';

export interface Found {
  setup: Setup;
  violation: Violation;
}

/** A run of a setup: the first violation of the rule, if there is one. */
export interface Attempt {
  violation: Violation | undefined;
  events: number;
}

export interface ShrinkOptions {
  attempt(setup: Setup): Promise<Attempt>;
  /** Runs, at most. */
  triesMost: number;
  /** Of all tries together: a measure of CPU time that is the same on every machine. */
  eventsMost: number;
  /** Told before each try. */
  onTry?(setup: Setup): void;
}

export interface Shrunk extends Found {
  tries: number;
}

type Names = 'faults' | 'users';

/** Fewer than that decide nothing any more. */
const shortestStepHours = 0.02;
const bisections = 6;

export async function shrink(found: Found, options: ShrinkOptions): Promise<Shrunk> {
  const shrinker = new Shrinker(found, options);
  let before: Setup;
  do {
    before = shrinker.best.setup;
    await shrinker.pass();
  } while (shrinker.best.setup !== before && !shrinker.isSpent);
  return { ...shrinker.best, tries: shrinker.tries };
}

class Shrinker {
  best: Found;
  tries = 0;
  #events = 0;
  readonly #failed = new Set<string>();
  readonly #options: ShrinkOptions;

  constructor(found: Found, options: ShrinkOptions) {
    this.best = found;
    this.#options = options;
  }

  get isSpent(): boolean {
    const { triesMost, eventsMost } = this.#options;
    return this.tries >= triesMost || this.#events >= eventsMost;
  }

  /** The end first: all that follows takes less time then. */
  async pass(): Promise<void> {
    await this.#endEarlier();
    await this.#leaveOutNames('faults');
    await this.#leaveOutNames('users');
    await this.#leaveOutMachines();
  }

  async #endEarlier(): Promise<void> {
    await this.#holdsWith({ hours: hoursUntil(this.best.violation) });
    let least = 0;
    for (let step = 0; step < bisections; step += 1) {
      const { hours } = this.best.setup;
      if (hours - least <= shortestStepHours) return;
      const middle = roundHours((least + hours) / 2);
      if (!(await this.#holdsWith({ hours: middle }))) least = middle;
    }
  }

  async #leaveOutMachines(): Promise<void> {
    let least = 0;
    let next = 1;
    while (this.best.setup.machines - least > 1) {
      if (!(await this.#holdsWith({ machines: next }))) least = next;
      next = Math.floor((least + this.best.setup.machines) / 2);
    }
  }

  /** Delta debugging: ever smaller parts of the list are left out, until every name is needed. */
  async #leaveOutNames(list: Names): Promise<void> {
    if (await this.#holdsWith({ [list]: [] })) return;
    let parts = 2;
    while (this.best.setup[list].length > 1) {
      const { length } = this.best.setup[list];
      const size = Math.ceil(length / Math.min(parts, length));
      if (await this.#leaveOutPart(list, size)) parts = Math.max(parts - 1, 2);
      else if (size === 1) return;
      else parts *= 2;
    }
  }

  async #leaveOutPart(list: Names, size: number): Promise<boolean> {
    const names = this.best.setup[list];
    for (let from = 0; from < names.length; from += size) {
      const left = names.filter((_name, index) => index < from || index >= from + size);
      if (left.length > 0 && (await this.#holdsWith({ [list]: left }))) return true;
    }
    return false;
  }

  /** Whether the rule is broken as well when that is changed; the change stays then. */
  async #holdsWith(change: Partial<Setup>): Promise<boolean> {
    const setup = { ...this.best.setup, ...change };
    if (setup.hours > this.best.setup.hours || this.isSpent) return false;
    const key = JSON.stringify(setup);
    if (key === JSON.stringify(this.best.setup)) return true;
    if (this.#failed.has(key)) return false;
    const violation = await this.#try(setup);
    if (violation) this.best = { setup, violation };
    else this.#failed.add(key);
    return violation !== undefined;
  }

  async #try(setup: Setup): Promise<Violation | undefined> {
    this.tries += 1;
    this.#options.onTry?.(setup);
    const { violation, events } = await this.#options.attempt(setup);
    this.#events += events;
    return violation;
  }
}

function hoursUntil({ at }: Violation): number {
  return Math.max(roundHours((at - startMs) / 3_600_000), shortestStepHours);
}

/** Up, to half a minute or so: a command that a person types again. */
function roundHours(hours: number): number {
  return Math.ceil(hours * 100) / 100;
}
