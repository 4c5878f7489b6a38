/** Which faults a run has, how often, and from when to when. All by seed. */
import type { Chance } from '../engine/chance.ts';
import type { Fate } from '../engine/journey.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';

/** Shares of calls, or times in an hour of a world. */
export interface Trouble {
  /** Of calls: the request is lost, or its answer; with or without a word to the caller. */
  lostCalls: number;
  /** Of calls: they take seconds. */
  slowCalls: number;
  /** Of calls: they arrive a second time. */
  doubledCalls: number;
  /** Of calls: the process is killed on the way. */
  killedCalls: number;
  /** Of calls to an API server: it refuses, with 403, 409, 422, 429, 500 or 503. */
  refusedCalls: number;
  /** Of events of a watch: they come late, by seconds. */
  lateEvents: number;
  /** Of events of a watch: the watch breaks before it. */
  brokenWatches: number;
  /** An hour: a process is killed from outside. */
  killsAnHour: number;
  /** An hour: Temporal, an API server or a process' line to either is away, for up to minutes. */
  outagesAnHour: number;
  /** An hour: the clock of a process jumps. */
  clockJumpsAnHour: number;
}

export const calm: Trouble = {
  lostCalls: 0,
  slowCalls: 0,
  doubledCalls: 0,
  killedCalls: 0,
  refusedCalls: 0,
  lateEvents: 0,
  brokenWatches: 0,
  killsAnHour: 0,
  outagesAnHour: 0,
  clockJumpsAnHour: 0,
};

/** Each kind by itself is rare enough for work to be done, and often enough to meet all others. */
export const allFaults: Trouble = {
  lostCalls: 0.01,
  slowCalls: 0.02,
  doubledCalls: 0.005,
  killedCalls: 0.001,
  refusedCalls: 0.01,
  lateEvents: 0.02,
  brokenWatches: 0.002,
  killsAnHour: 6,
  outagesAnHour: 3,
  clockJumpsAnHour: 3,
};

export interface Verdict {
  code: number;
  reason: string;
  message: string;
  retryAfterSeconds?: number;
  details?: object;
}

const verdicts: readonly Verdict[] = [
  { code: 403, reason: 'Forbidden', message: 'is forbidden: exceeded quota' },
  { code: 409, reason: 'Conflict', message: 'the object has been modified; try again' },
  { code: 422, reason: 'Invalid', message: 'admission webhook denied the request' },
  { code: 429, reason: 'TooManyRequests', message: 'too many requests', retryAfterSeconds: 1 },
  { code: 500, reason: 'InternalError', message: 'etcdserver: request timed out' },
  { code: 503, reason: 'ServiceUnavailable', message: 'apiserver not ready' },
];

export class Weather {
  readonly trouble: Trouble;
  readonly #simulation: Simulation;
  readonly #chance: Chance;
  #hasCleared = false;

  constructor(simulation: Simulation, trouble: Trouble) {
    this.#simulation = simulation;
    this.trouble = trouble;
    this.#chance = simulation.chance.fork();
  }

  /** From now on nothing goes wrong any more. */
  clear(): void {
    this.#hasCleared = true;
    this.#simulation.note('weather', 'clears');
  }

  get isClear(): boolean {
    return this.#hasCleared;
  }

  /** Of a call that a process makes. */
  fateOf(process: SimulatedProcess, call: string): Fate {
    const chance = this.#chance;
    const fate: Fate = { requestMs: chance.between(0.3, 3), answerMs: chance.between(0.3, 3) };
    if (this.#hasCleared) return fate;
    const { lostCalls, slowCalls, doubledCalls, killedCalls } = this.trouble;
    if (chance.happens(slowCalls)) fate.requestMs += chance.between(100, 8_000);
    if (chance.happens(slowCalls)) fate.answerMs += chance.between(100, 8_000);
    if (chance.happens(lostCalls)) {
      fate.lost = chance.pick(['request', 'answer']);
      fate.isSilent = chance.happens(0.5);
      process.note(`${call}: its ${fate.lost} is lost`);
    }
    if (chance.happens(doubledCalls)) {
      fate.againAfterMs = chance.between(1, 5_000);
      process.note(`${call}: arrives twice`);
    }
    if (chance.happens(killedCalls)) {
      fate.kill = chance.pick(['before', 'after']);
      process.note(`${call}: killed ${fate.kill} its effect`);
    }
    return fate;
  }

  /** Undefined: the call is carried out. */
  verdictOn(process: SimulatedProcess, call: string): Verdict | undefined {
    if (this.#hasCleared || !this.#chance.happens(this.trouble.refusedCalls)) return undefined;
    const verdict = this.#chance.pick(verdicts);
    process.note(`${call}: refused with ${verdict.code}`);
    return verdict;
  }

  /** Until the next event of a watch is heard, milliseconds; undefined: the watch breaks. */
  delayOfEvent(): number | undefined {
    const chance = this.#chance;
    const usual = chance.between(0.3, 5);
    if (this.#hasCleared) return usual;
    if (chance.happens(this.trouble.brokenWatches)) return undefined;
    return chance.happens(this.trouble.lateEvents) ? chance.between(100, 20_000) : usual;
  }

  /** Calls `act` at random moments until the weather clears. */
  often(timesAnHour: number, act: () => void): void {
    if (timesAnHour <= 0) return;
    const meanMs = 3_600_000 / timesAnHour;
    const waitMs = -Math.log(1 - this.#chance.share()) * meanMs;
    this.#simulation.after(waitMs, () => {
      if (this.#hasCleared) return;
      act();
      this.often(timesAnHour, act);
    });
  }

  get chance(): Chance {
    return this.#chance;
  }
}
