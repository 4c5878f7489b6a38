/**
 * Keeps the loop of a workflow from running without a rest, whatever its plan says: it would fill
 * its history within minutes, and the API server with it. A step that is done again and again waits
 * longer each time, and so does one that fails.
 */
import { stepBackoffSeconds } from './step-backoff.ts';

interface StepRecord {
  /** Times that it was done lately; one is forgotten every few seconds. */
  level: number;
  countedAt: number;
  failures: number;
  message?: string;
  /** Not before this, milliseconds. */
  nextAt: number;
}

export interface Hold {
  reason: string;
  /** Milliseconds. */
  until: number;
}

interface Failure {
  now: number;
  random: number;
  /** It waits no longer than this. */
  longestSeconds?: number | undefined;
}

const secondsPerStep = 10;

export interface Pace {
  /** So many times in a row a step may be done without a rest. */
  burst: number;
  /** A step that is done too often waits no longer than this. */
  longestSeconds: number;
}

/** No step of an object that works is done so often in a row. */
const ofStep: Pace = { burst: 30, longestSeconds: Infinity };

/**
 * The turns of a loop that is to stay ready for news: a loop that works takes fewer between two
 * waits.
 */
export const ofTurns: Pace = { burst: 100, longestSeconds: 5 };

/** Times in milliseconds; `random` from 0 to 1. */
export class StepGuard {
  readonly #records = new Map<string, StepRecord>();
  readonly #pace: Pace;

  constructor(pace: Pace = ofStep) {
    this.#pace = pace;
  }

  /** Returns why and until when this step must not be done now; undefined when it may. */
  holdOf(step: string, now: number): Hold | undefined {
    const { nextAt = 0, failures = 0, message } = this.#records.get(step) ?? {};
    if (now >= nextAt) return undefined;
    const why = failures > 0 ? `failed ${failures} times: ${message}` : 'is done too often';
    return { reason: `${step} ${why}`, until: nextAt };
  }

  /** The step is about to be done. */
  begin(step: string, now: number, random: () => number): void {
    const record = this.#recordOf(step, now);
    const forgotten = (now - record.countedAt) / (secondsPerStep * 1_000);
    record.level = Math.max(record.level - forgotten, 0) + 1;
    record.countedAt = now;
    const { burst, longestSeconds } = this.#pace;
    const excess = Math.floor(record.level - burst);
    if (excess <= 0) return;
    const wait = stepBackoffSeconds({ attempts: excess, random: random() });
    record.nextAt = now + Math.min(wait, longestSeconds) * 1_000;
  }

  /**
   * The loop has waited by itself, or has come forward: what was done before does not count as too
   * often.
   */
  rested(): void {
    for (const record of this.#records.values()) record.level = 0;
  }

  succeeded(step: string): void {
    const record = this.#records.get(step);
    if (record) record.failures = 0;
  }

  failed(step: string, message: string, { now, random, longestSeconds }: Failure): void {
    const record = this.#recordOf(step, now);
    record.failures += 1;
    record.message = message;
    const seconds = stepBackoffSeconds({ attempts: record.failures, random });
    const wait = Math.min(seconds, longestSeconds ?? Infinity);
    record.nextAt = Math.max(record.nextAt, now + wait * 1_000);
  }

  #recordOf(step: string, now: number): StepRecord {
    const known = this.#records.get(step);
    if (known) return known;
    const record = { level: 0, countedAt: now, failures: 0, nextAt: 0 };
    this.#records.set(step, record);
    return record;
  }
}
