/** What happened in a run, in numbers. */
import { quantiles } from '../bench/quantiles.ts';
import type { Recovery } from './recovery.ts';
import type { Repairs } from './repairs.ts';

export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();
  /** From the end of the trouble to rest, for each quiet point. */
  readonly settleSeconds: number[] = [];
  readonly violations: string[] = [];
  recoveries: readonly Recovery[] = [];
  repairs: Repairs = { restored: [], orphans: [], brokenBySdk: [] };
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

  of(group: string, name: string): number {
    return this.#counts.get(group)?.get(name) ?? 0;
  }

  /** `worker 7, watcher 3` */
  wordsOf(group: string): string {
    const counts = [...(this.#counts.get(group) ?? [])].toSorted(([a], [b]) => a.localeCompare(b));
    return counts.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
  }

  /** A line for each component that was killed, and one for none. */
  recoveryLines(): string[] {
    const names = [...new Set(this.recoveries.map(({ killed }) => killed))].toSorted();
    return names.map(
      (name) => `${name}: ${timesOf(this.recoveries.filter(({ killed }) => killed === name))}`,
    );
  }
}

function timesOf(recoveries: readonly Recovery[]): string {
  const alone = recoveries.filter(({ isDisturbed }) => !isDisturbed).map(({ seconds }) => seconds);
  const others = recoveries.length - alone.length;
  const leftOut = others === 0 ? '' : `; left out with another kill in them: ${others}`;
  if (alone.length === 0) return `no times${leftOut}`;
  const { p50, p95, max } = quantiles(alone);
  const [middle, most, worst] = [p50, p95, max].map((value) => value.toFixed(2));
  return `p50 ${middle} s, p95 ${most} s, max ${worst} s of ${alone.length}${leftOut}`;
}
