/** How a value went over time. Who acts on what was read a moment ago is judged by that moment. */
interface Step<T> {
  at: number;
  value: T;
}

/** What was before that is forgotten: no decision is carried out so late. Milliseconds. */
export const horizonMs = 45 * 60_000;

export class Trace<T> {
  #steps: Step<T>[];

  /** @param at Milliseconds, as everywhere here. */
  constructor(at: number, value: T) {
    this.#steps = [{ at, value }];
  }

  get now(): T {
    const step = this.#steps.at(-1);
    if (!step) throw new Error('a trace has no step');
    return step.value;
  }

  set(at: number, value: T): void {
    const last = this.#steps.at(-1);
    if (last?.value === value) return;
    // Of one moment only the end counts.
    if (last?.at === at) last.value = value;
    else this.#steps.push({ at, value });
    const kept = this.#indexOf(at - horizonMs);
    if (kept > 20) this.#steps = this.#steps.slice(kept);
  }

  /** As it was then; before the first moment as at the first one. */
  at(moment: number): T {
    const step = this.#steps[this.#indexOf(moment)];
    if (!step) throw new Error('a trace has no step');
    return step.value;
  }

  /** All that it was since then. */
  since(moment: number): T[] {
    return this.#steps.slice(this.#indexOf(moment)).map(({ value }) => value);
  }

  /** The moments since then at which it changed, and that moment itself. */
  momentsSince(moment: number): number[] {
    const later = this.#steps.slice(this.#indexOf(moment) + 1);
    return [moment, ...later.map(({ at }) => at)];
  }

  /** For how long it was not falsy between two moments, in spells of at least so long. */
  lengthSince(from: number, to: number, leastMs = 0): number {
    const spells = this.momentsSince(from).map((at, index, all) => {
      const lengthMs = Math.min(all[index + 1] ?? to, to) - at;
      return this.at(at) && lengthMs >= leastMs ? Math.max(0, lengthMs) : 0;
    });
    return spells.reduce((sum, length) => sum + length, 0);
  }

  /** How often since then it was falsy and came to be something else. */
  timesSince(moment: number): number {
    const [, ...changes] = this.momentsSince(moment);
    return changes.filter((at) => this.at(at)).length;
  }

  /** The last moment at which it had this value and then got another one; undefined: never. */
  lastAt(value: T): number | undefined {
    const index = this.#steps.findLastIndex((step) => step.value === value);
    return index < 0 ? undefined : this.#steps[index + 1]?.at;
  }

  /** Of the last step that is not later; of the first one where all are. */
  #indexOf(moment: number): number {
    let [low, high] = [0, this.#steps.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#steps[middle]?.at ?? 0) > moment) high = middle - 1;
      else low = middle;
    }
    return low;
  }
}
