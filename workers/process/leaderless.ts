/** For how long there has been no leader at all: neither this process nor another one. */
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import type { Timer } from '../../activities/system/system.ts';
import { every, monotonicMs } from '../../activities/system/system.ts';

/** A leader that is replaced, or an API server that restarts, is back long before. */
const longestSeconds = 300;
const sampleMs = 5_000;

export interface LeaderlessOptions {
  hasLeader(): boolean;
  /** Milliseconds; only differences count. Default: the monotonic clock. */
  now?(): number;
}

export class Leaderless {
  readonly #options: LeaderlessOptions;
  readonly #timer: Timer;
  #seenAt: number;

  /** Counts from now. */
  constructor(options: LeaderlessOptions) {
    this.#options = options;
    this.#seenAt = this.#now();
    this.#timer = every(sampleMs, () => this.seconds(), { keepsAlive: false });
  }

  seconds(): number {
    if (this.#options.hasLeader()) this.#seenAt = this.#now();
    return Math.floor((this.#now() - this.#seenAt) / 1_000);
  }

  /** For people; undefined while there is a leader, or was one in the last five minutes. */
  fault(): string | undefined {
    const seconds = this.seconds();
    return seconds < longestSeconds ? undefined : `no watcher has led for ${seconds} s`;
  }

  close(): void {
    this.#timer.cancel();
  }

  #now(): number {
    return this.#options.now?.() ?? monotonicMs();
  }
}

/** Counts from now on, and says so in a metric. */
export function watchLeader(registry: Registry, hasLeader: () => boolean): Leaderless {
  const leaderless = new Leaderless({ hasLeader });
  registerLeaderlessMetric(registry, leaderless);
  return leaderless;
}

export function registerLeaderlessMetric(registry: Registry, leaderless: Leaderless): void {
  registry.registerMetric(
    new Gauge({
      name: 'millwright_leaderless_seconds',
      help: 'For how long neither this watcher nor another one has led; 0 while one leads.',
      registers: [],
      collect() {
        this.set(leaderless.seconds());
      },
    }),
  );
}
