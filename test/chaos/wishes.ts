/**
 * What is wanted of each pool, and how far its machines may stray from that since the last quiet
 * point. Pure.
 */
import type { Action } from './action.ts';

/** Of a rollout. */
export interface Limits {
  maxSurge: number;
  maxUnavailable: number;
}

/** With its namespace before it: 63 characters, the longest name that can be a label. */
const longName = 'd'.padEnd(57, '-of-a-name-that-is-as-long-as-it-may-be');

export const pools: Readonly<Record<string, Limits>> = {
  a: { maxSurge: 1, maxUnavailable: 0 },
  b: { maxSurge: 3, maxUnavailable: 1 },
  c: { maxSurge: 0, maxUnavailable: 2 },
  [longName]: { maxSurge: 1, maxUnavailable: 1 },
};

export interface Wish {
  replicas: number;
  class: string;
}

export interface Envelope {
  /** Smallest and largest number of replicas that was wanted; 0 for a pool that was not there. */
  least: number;
  most: number;
  /** Machines that may have gone without the deployment having decided it. */
  removed: number;
  /**
   * Scaled down, or rolled more than once: machines that terminate and new ones may add up to any
   * number, as nobody waits for a drain to make a machine that is wanted now
   * (docs/decisions/0004-rollouts.md).
   */
  isUnbounded: boolean;
}

export class Wishes {
  readonly #wishes = new Map<string, Wish>();
  readonly #envelopes = new Map<string, Envelope>();
  /** Pools that were rolled since the last quiet point. */
  readonly #rolled = new Set<string>();

  constructor() {
    this.beginRound();
  }

  get present(): string[] {
    return [...this.#wishes.keys()].toSorted();
  }

  get absent(): string[] {
    return Object.keys(pools).filter((pool) => !this.#wishes.has(pool));
  }

  of(pool: string): Wish | undefined {
    return this.#wishes.get(pool);
  }

  /** What stands at the end of a round. */
  snapshot(): { wishes: Record<string, Wish>; envelopes: Record<string, Envelope> } {
    return {
      wishes: Object.fromEntries(this.#wishes),
      envelopes: Object.fromEntries(this.#envelopes),
    };
  }

  beginRound(): void {
    this.#rolled.clear();
    for (const pool of Object.keys(pools)) {
      const replicas = this.#wishes.get(pool)?.replicas ?? 0;
      this.#envelopes.set(pool, {
        least: replicas,
        most: replicas,
        removed: 0,
        isUnbounded: false,
      });
    }
  }

  apply(action: Action): void {
    if ('pool' in action) return this.#applyToPool(action);
    const names = Object.keys(pools);
    this.#expectRemoval(names, vanishingOf(action));
    if (action.type === 'strip') this.#noteStripping(names);
  }

  #applyToPool(action: Extract<Action, { pool: string }>): void {
    switch (action.type) {
      case 'create':
        return this.#want(action.pool, { replicas: action.replicas, class: action.class });
      case 'scale':
        return this.#change(action.pool, { replicas: action.replicas });
      case 'roll':
        this.#noteRoll(action.pool);
        return this.#change(action.pool, { class: action.class });
      case 'drain':
        return this.#expectRemoval([action.pool], 1);
      case 'delete':
        this.#widen(action.pool, 0);
        this.#wishes.delete(action.pool);
    }
  }

  #noteRoll(pool: string): void {
    const envelope = this.#envelopes.get(pool);
    if (envelope && this.#rolled.has(pool)) envelope.isUnbounded = true;
    this.#rolled.add(pool);
  }

  #change(pool: string, change: Partial<Wish>): void {
    const wish = this.#wishes.get(pool);
    if (wish) this.#want(pool, { ...wish, ...change });
  }

  #want(pool: string, wish: Wish): void {
    this.#widen(pool, wish.replicas);
    this.#wishes.set(pool, wish);
  }

  #widen(pool: string, replicas: number): void {
    const envelope = this.#envelopes.get(pool);
    if (!envelope) return;
    if (replicas < (this.#wishes.get(pool)?.replicas ?? 0)) envelope.isUnbounded = true;
    envelope.least = Math.min(envelope.least, replicas);
    envelope.most = Math.max(envelope.most, replicas);
  }

  /** A machine that came back from its create without its label terminates beside the next one. */
  #noteStripping(names: readonly string[]): void {
    for (const name of names) {
      const envelope = this.#envelopes.get(name);
      if (envelope) envelope.isUnbounded = true;
    }
  }

  #expectRemoval(names: readonly string[], count: number): void {
    for (const name of names) {
      const envelope = this.#envelopes.get(name);
      if (envelope) envelope.removed += count;
    }
  }
}

/** VMs that somebody takes away behind everybody's back; which, nobody knows before. */
const vanishingOf = (action: Action): number =>
  action.type === 'fault' && action.fault.kind === 'vanish' ? action.fault.times : 0;
