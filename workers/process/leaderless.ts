/** For how long there has been no leader at all: neither this process nor another one. */
import type { Registry } from 'prom-client';
import { registerComputed } from '../metrics/computed.ts';
import type { Shutdown } from './shutdown.ts';
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

/** Leaders of the namespaces that a process serves, each from the time on at which it began to. */
export class Leaders {
  readonly #members = new Map<string, Leaderless>();
  readonly #isFleet: boolean;

  /** Says it in a metric. */
  constructor(registry: Registry, { isFleet }: { isFleet: boolean }) {
    this.#isFleet = isFleet;
    registerLeaderlessMetric(registry, this.#members);
  }

  watch(namespace: string, hasLeader: () => boolean, scope: Pick<Shutdown, 'add'>): void {
    const leaderless = new Leaderless({ hasLeader });
    this.#members.set(namespace, leaderless);
    scope.add('watch for a leader', () => {
      leaderless.close();
      this.#members.delete(namespace);
    });
  }

  /**
   * Fault of a process with one namespace: see `Leaderless.fault`. In a fleet, a namespace without
   * a leader is no fault of the process.
   */
  fault(): string | undefined {
    if (this.#isFleet) return undefined;
    return [...this.#members.values()].map((leaderless) => leaderless.fault())[0];
  }
}

/** `leaderless`: by namespace. */
export function registerLeaderlessMetric(
  registry: Registry,
  leaderless: ReadonlyMap<string, Leaderless>,
): void {
  registerComputed(
    registry,
    [
      {
        name: 'millwright_leaderless_seconds',
        type: 'gauge',
        help: 'For how long neither this watcher nor another one has led; 0 while one leads.',
        labels: ['kube_namespace'],
        read: ([namespace, one]) => [
          { labels: { kube_namespace: namespace }, value: one.seconds() },
        ],
      },
    ],
    () => leaderless,
  );
}
