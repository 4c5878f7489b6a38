/**
 * One thread, one clock that jumps to the next event, one source of randomness
 * (docs/decisions/0034-simulation.md).
 */
import type { Timer } from '../../../activities/system/system.ts';
import { Agenda } from './agenda.ts';
import { Chance } from './chance.ts';
import { Timeline } from './timeline.ts';

/** What must never happen, or had to happen and did not. */
export interface Violation {
  at: number;
  /** The name of the rule, e.g. `one instance per token`. */
  rule: string;
  text: string;
}

/** 1 January 2026: a round number in a timeline. */
const startMs = Date.UTC(2026, 0, 1);
/** So many events never come at one moment: something goes on and on without a rest. */
const eventsOfMomentMost = 50_000;
const { setImmediate: nextTurn } = globalThis;

export class Simulation {
  readonly seed: number;
  readonly chance: Chance;
  readonly timeline = new Timeline(startMs);
  readonly violations: Violation[] = [];
  readonly startMs = startMs;
  readonly #agenda = new Agenda();
  #now = startMs;
  #hostWork = 0;
  #events = 0;
  #eventsOfMoment = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.chance = new Chance(seed);
  }

  /** Milliseconds since 1970, by the true clock; a process may see another one. */
  get now(): number {
    return this.#now;
  }

  /** So far. */
  get events(): number {
    return this.#events;
  }

  after(milliseconds: number, action: () => void): Timer {
    const entry = this.#agenda.add(this.#now + Math.max(0, milliseconds), action);
    return {
      cancel: () => {
        entry.action = undefined;
      },
    };
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }

  /**
   * Work that takes turns of the event loop of the host and no simulated time, as the sandbox does:
   * the clock stands until it is over.
   */
  async whileTimeStands<T>(work: () => Promise<T>): Promise<T> {
    this.#hostWork += 1;
    try {
      return await work();
    } finally {
      this.#hostWork -= 1;
    }
  }

  note(who: string, what: string): void {
    this.timeline.add({ at: this.#now, who, what });
  }

  violate(rule: string, text: string): void {
    this.note('judge', `${rule}: ${text}`);
    this.violations.push({ at: this.#now, rule, text });
  }

  /** Until then, until `isOver` says so after an event, or until nothing is left to happen. */
  async run(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    await this.#settle();
    while (!isOver()) {
      const at = this.#agenda.nextAt;
      if (at === undefined || at > untilMs) break;
      if (at > this.#now) this.#eventsOfMoment = 0;
      this.#now = Math.max(this.#now, at);
      this.#agenda.take()?.();
      this.#eventsOfMoment += 1;
      if (this.#eventsOfMoment > eventsOfMomentMost) return this.#standStill();
      this.#events += 1;
      await this.#settle();
    }
    if (!isOver()) this.#now = Math.max(this.#now, untilMs);
  }

  #standStill(): void {
    this.violate('time goes on', `${eventsOfMomentMost} events came at one moment`);
  }

  /** All that follows from an event at once: promises, and work of the host. */
  async #settle(): Promise<void> {
    do {
      await new Promise((resolve) => {
        nextTurn(resolve);
      });
    } while (this.#hostWork > 0);
  }
}
