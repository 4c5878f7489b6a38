/**
 * kill -9 of watcher and worker again and again, at moments that nobody chose, until it is stopped.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { seedVariable, testSeed } from '../../support/seed.ts';
import { randomFrom } from '../../support/seeded-random.ts';
import type { Operator, Program } from './operator.ts';

export interface RandomKillsOptions {
  /** Default watcher and worker. */
  programs?: readonly Program[];
  /**
   * A program that needs longer to start than it is left alive would never get anywhere: then it is
   * left alone. Default 8.
   */
  most?: number;
  /** Between two kills. Default 5 to 10. */
  betweenSeconds?: { least: number; most: number };
  /** Decides which programs are killed, and after which waits. Default that of the test run. */
  seed?: number;
}

/** `await using kills = startRandomKills(...)` stops it however a test ends. */
export interface RandomKills extends AsyncDisposable {
  readonly seed: number;
  /** What was killed so far, in order. */
  readonly killed: readonly Program[];
  /** Resolves when no further kill comes; throws when one of them failed. */
  stop(): Promise<void>;
}

export function startRandomKills(
  operator: Operator,
  options: RandomKillsOptions = {},
): RandomKills {
  const { seed = testSeed(), programs = ['watcher', 'worker'] } = options;
  const { most: mostKills = 8 } = options;
  const { least, most } = options.betweenSeconds ?? { least: 5, most: 10 };
  console.log(`Random kills: ${seedVariable}=${seed} does the same again.`);
  const random = randomFrom(seed);
  const killed: Program[] = [];
  const stopping = new AbortController();
  const running = run();

  async function run(): Promise<void> {
    while (killed.length < mostKills) {
      await pause(least + random() * (most - least), stopping.signal);
      const program = programs[Math.floor(random() * programs.length)];
      if (stopping.signal.aborted || program === undefined) return;
      killed.push(program);
      await operator.kill9(program);
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await running;
  }

  return { seed, killed, stop, [Symbol.asyncDispose]: stop };
}

/** Ends early when it is aborted. */
async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(seconds * 1_000, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
