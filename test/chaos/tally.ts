/** What happened in a run, in numbers. */
import { quantiles } from '../bench/quantiles.ts';
import type { Recovery } from './recovery.ts';

export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();
  /** From the end of the trouble to rest, for each quiet point. */
  readonly settleSeconds: number[] = [];
  readonly violations: string[] = [];
  recoveries: readonly Recovery[] = [];
  machinesCreated = 0;
  vmsCreated = 0;
  vmsDeleted = 0;
  invariantsChecked = 0;
  statesChecked = 0;

  /** E.g. `add('kill', 'worker')`. */
  add(group: string, name: string, count = 1): void {
    const counts = this.#counts.get(group) ?? new Map<string, number>();
    this.#counts.set(group, counts);
    counts.set(name, (counts.get(name) ?? 0) + count);
  }

  /** `worker 7, watcher 3` */
  wordsOf(group: string): string {
    const counts = [...(this.#counts.get(group) ?? [])].toSorted(([a], [b]) => a.localeCompare(b));
    return counts.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
  }

  /** A line for each component that was killed, and one for none. */
  recoveryLines(): string[] {
    const names = [...new Set(this.recoveries.map(({ killed }) => killed))].toSorted();
    return names.map((name) => {
      const all = this.recoveries.filter(({ killed }) => killed === name);
      const clear = all.filter(({ isDisturbed }) => !isDisturbed).map(({ seconds }) => seconds);
      const rest =
        all.length === clear.length
          ? ''
          : `; ${all.length - clear.length} more with another kill meanwhile are left out`;
      const { p50, p95, max } = quantiles(clear);
      const figures = [p50, p95, max].map((value) => value.toFixed(2));
      return `${name}: p50 ${figures[0]} s, p95 ${figures[1]} s, max ${figures[2]} s of ${clear.length}${rest}`;
    });
  }
}
