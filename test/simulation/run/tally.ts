/** What a run of many seeds comes to. */
import { commandOf } from './command.ts';
import type { SeedResult } from './seed-result.ts';
import type { Kinds } from './values.ts';

export class Tally {
  readonly failed: SeedResult[] = [];
  seeds = 0;
  lives = 0;
  events = 0;
  violations = 0;
  simulatedMs = 0;
  /** Of the runs themselves. */
  cpuSeconds = 0;
  shrinkCpuSeconds = 0;
  #least = Infinity;
  #most = -Infinity;

  add(result: SeedResult): void {
    this.seeds += 1;
    this.lives += result.lives;
    this.events += result.events;
    this.violations += result.violations;
    this.simulatedMs += result.simulatedMs;
    this.cpuSeconds += result.cpuSeconds;
    this.shrinkCpuSeconds += result.shrinkCpuSeconds;
    this.#least = Math.min(this.#least, result.setup.seed);
    this.#most = Math.max(this.#most, result.setup.seed);
    if (result.failure) this.failed.push(result);
  }

  get livesPerCpuSecond(): number {
    return this.cpuSeconds === 0 ? 0 : this.lives / this.cpuSeconds;
  }

  get simulatedHours(): number {
    return this.simulatedMs / 3_600_000;
  }

  /** On one line. */
  get progress(): string {
    const parts = [
      counted(this.seeds, 'seed'),
      `${whole(this.lives)} lives`,
      `${this.livesPerCpuSecond.toFixed(1)} lives per CPU second`,
      `${whole(this.simulatedHours)} simulated hours`,
      counted(this.violations, 'violation'),
    ];
    return parts.join(', ');
  }

  get summary(): string {
    const seeds = this.seeds === 1 ? `Seed ${this.#least}` : `Seeds ${this.#least}-${this.#most}`;
    const minutes = (this.cpuSeconds / 60).toFixed(1);
    return `${seeds}: ${this.progress}, ${whole(this.events)} events, ${minutes} CPU minutes`;
  }

  inJson(kinds: Kinds): RunInJson {
    const { seeds, lives, events, violations, cpuSeconds } = this;
    const { livesPerCpuSecond, simulatedHours } = this;
    return {
      ...(seeds > 0 && { firstSeed: this.#least, lastSeed: this.#most }),
      seeds,
      lives,
      livesPerCpuSecond,
      cpuSeconds,
      simulatedHours,
      events,
      violations,
      failures: this.failed.flatMap(({ setup, failure }) => {
        if (!failure) return [];
        const { rule, text, file } = failure;
        const command = commandOf(failure.setup, kinds);
        return [{ seed: setup.seed, rule, text, command, ...(file !== undefined && { file }) }];
      }),
    };
  }
}

export interface FailureInJson {
  seed: number;
  rule: string;
  text: string;
  command: string;
  /** For `--replay`. */
  file?: string;
}

/** What `-o json` prints. */
export interface RunInJson {
  firstSeed?: number;
  lastSeed?: number;
  seeds: number;
  lives: number;
  livesPerCpuSecond: number;
  cpuSeconds: number;
  simulatedHours: number;
  events: number;
  violations: number;
  failures: FailureInJson[];
}

function counted(amount: number, word: string): string {
  return `${whole(amount)} ${word}${amount === 1 ? '' : 's'}`;
}

function whole(amount: number): string {
  return Math.round(amount).toLocaleString('en-GB');
}
