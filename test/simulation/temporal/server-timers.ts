/** Timers of the server: it reads those that are soon due ahead, and so is late for short ones. */
import type { Timer } from '../../../activities/system/system.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';

/** How far ahead at most, and what was measured as the least, milliseconds. */
const farthestMs = 1_000;
const nearestMs = 450;

export interface ServerTimer extends Timer {
  /** When it is due, milliseconds since 1970. */
  readonly at: number;
}

export class ServerTimers {
  readonly #simulation: Simulation;
  readonly #chance: Chance;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#chance = simulation.chance.fork();
  }

  after(milliseconds: number, action: () => void): ServerTimer {
    const leastMs = milliseconds < farthestMs ? this.#chance.between(nearestMs, farthestMs) : 0;
    const timer = this.#simulation.after(Math.max(milliseconds, leastMs), action);
    return { at: this.#simulation.now + milliseconds, cancel: () => timer.cancel() };
  }

  /** Soon, if that is over. */
  at(at: number, action: () => void): ServerTimer {
    return { ...this.after(at - this.#simulation.now, action), at };
  }
}
