/**
 * A process of the simulation: real code of ours with a clock, timers and randomness of its own,
 * that can be killed. A process that is dead hears nothing any more: what it waits for never comes,
 * so it stops where it stands, between two awaits.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { runInSystem } from '../../../activities/system/system.ts';
import type { System, Timer } from '../../../activities/system/system.ts';
import type { Chance } from './chance.ts';
import type { Simulation } from './simulation.ts';

export interface ProcessOptions {
  name: string;
  /** How far its clock is ahead of the true one, milliseconds. */
  skewMs?: number;
  /** What it draws from; default a source of its own. */
  chance?: Chance;
}

export class SimulatedProcess {
  readonly name: string;
  readonly system: System;
  /** What it sets to chance itself. */
  readonly chance: Chance;
  readonly #simulation: Simulation;
  readonly #onEnd: (() => void)[] = [];
  /** Made once: to make a context for each event takes longer than most events. */
  readonly #within: <T>(action: () => T) => T;
  #skewMs: number;
  #isAlive = true;

  constructor(simulation: Simulation, { name, skewMs = 0, chance }: ProcessOptions) {
    this.name = name;
    this.chance = chance ?? simulation.chance.fork();
    this.#simulation = simulation;
    this.#skewMs = skewMs;
    const bornAt = simulation.now;
    this.system = {
      now: () => Math.floor(simulation.now + this.#skewMs),
      monotonic: () => simulation.now - bornAt,
      random: this.chance.share,
      uuid: () => this.chance.uuid(),
      secretInt: (limit) => this.chance.below(limit),
      after: (milliseconds, action) => this.after(milliseconds, action),
    };
    this.#within = runInSystem(this.system, () => AsyncLocalStorage.snapshot());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Sets its clock anew; what it measures by `monotonic` goes on. */
  jump(skewMs: number): void {
    this.#skewMs = skewMs;
    this.note(`its clock is ${skewMs} ms ahead`);
  }

  /** Whether and how often it is called is up to the process that lives. */
  after(milliseconds: number, action: () => void): Timer {
    return this.#simulation.after(milliseconds, () => {
      if (this.#isAlive) this.run(action);
    });
  }

  /** With its clock and its randomness, also in all that follows from it. */
  run<T>(action: () => T): T {
    return this.#within(action);
  }

  note(what: string): void {
    this.#simulation.note(this.name, what);
  }

  /** Told of its end once, in the order of asking; at once if it has ended. */
  onEnd(action: () => void): void {
    if (this.#isAlive) this.#onEnd.push(action);
    else action();
  }

  /** As `kill -9` does. */
  kill(): void {
    if (!this.#isAlive) return;
    this.note('is killed');
    this.end();
  }

  end(): void {
    this.#isAlive = false;
    for (const action of this.#onEnd.splice(0)) action();
  }

  /**
   * Waits as long as the process lives: the promise of a dead one stays open for ever. Answers and
   * errors of others come in through this gate alone.
   */
  receive<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const deliver = async (): Promise<void> => {
        try {
          const value = await answer;
          if (this.#isAlive) resolve(value);
        } catch (error) {
          if (this.#isAlive) reject(error);
        }
      };
      void deliver();
    });
  }
}
