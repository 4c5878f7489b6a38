/**
 * Keeps the loop of a workflow from running without a rest, whatever its plan says: it would fill
 * its history within minutes, and the API server with it. What is done again and again waits longer
 * each time.
 */
import { stepBackoffSeconds } from './requeues.ts';

interface Usage {
  /** Times that it was done lately; one is forgotten every few seconds. */
  level: number;
  countedAt: number;
  /** Not before this, milliseconds. */
  nextAt: number;
}

const secondsPerStep = 10;

export interface Pace {
  /** So many times in a row a step may be done without a rest. */
  burst: number;
  /** What is done too often waits no longer than this. */
  longestSeconds: number;
}

/** Of a step that no life of an object asks for as often. */
const ofStep: Pace = { burst: 30, longestSeconds: Infinity };

/**
 * Of the turns of a loop that is to stay ready for news: no sound loop takes as many between two
 * waits.
 */
export const ofTurns: Pace = { burst: 100, longestSeconds: 5 };

/** Times in milliseconds. */
export class RateLimit {
  readonly #usages = new Map<string, Usage>();
  readonly #pace: Pace;

  constructor(pace: Pace = ofStep) {
    this.#pace = pace;
  }

  /**
   * Undefined when the step may be done now: then it counts as done. Otherwise it may be done from
   * then on, and nothing is counted. `random`: from 0 to 1.
   */
  when(step: string, now: number, random: () => number): number | undefined {
    const { level, countedAt, nextAt } = this.#usages.get(step) ?? {
      level: 0,
      countedAt: now,
      nextAt: 0,
    };
    if (now < nextAt) return nextAt;
    const forgotten = (now - countedAt) / (secondsPerStep * 1_000);
    const usage = { level: Math.max(level - forgotten, 0) + 1, countedAt: now, nextAt };
    this.#usages.set(step, usage);
    const { burst, longestSeconds } = this.#pace;
    const excess = Math.floor(usage.level - burst);
    if (excess <= 0) return undefined;
    usage.nextAt = now + Math.min(stepBackoffSeconds(excess, random()), longestSeconds) * 1_000;
    return undefined;
  }

  /**
   * The loop has waited by itself, or has come forward: what was done before does not count as too
   * often.
   */
  forget(): void {
    for (const usage of this.#usages.values()) usage.level = 0;
  }
}
