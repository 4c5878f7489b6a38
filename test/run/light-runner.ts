/**
 * The runner of Jest: jest-light-runner's tests without a sandbox, in processes of jest-worker.
 *
 * Its own processes can wait for ever for their settings: the first of them that asks takes away
 * the answers of those that have not asked yet (jest-light-runner 0.8.2, `src/index.js`).
 */
import { join } from 'node:path';
import { Worker, type JestWorkerFarm } from 'jest-worker';
import type * as lightWorker from './light-worker.ts';
import { run, setup } from './light-worker.ts';

interface Test {
  path: string;
  context: { config: object };
}

type Pool = JestWorkerFarm<typeof lightWorker>;

interface GlobalConfig {
  maxWorkers: number;
  /** Null: all tests of a file. */
  testNamePattern: string | null;
}

/** As Jest calls it. */
export default class LightRunner {
  readonly #globalConfig: GlobalConfig;

  constructor(globalConfig: GlobalConfig) {
    this.#globalConfig = globalConfig;
  }

  // eslint-disable-next-line max-params -- Jest has these.
  async runTests(
    tests: readonly Test[],
    _watcher: unknown,
    onStart: (test: Test) => Promise<void>,
    onResult: (test: Test, result: unknown) => Promise<void>,
    onFailure: (test: Test, error: unknown) => Promise<void>,
  ): Promise<void> {
    const [first] = tests;
    if (first === undefined) return;
    const globalConfig = this.#globalConfig;
    const configs = { globalConfig, projectConfig: first.context.config };
    const left = tests.values();
    const runRest = async (place: Place): Promise<void> => {
      for (const test of left) {
        try {
          await onStart(test);
          await onResult(test, await place.run(test.path));
        } catch (error) {
          await onFailure(test, error);
        }
      }
      await place.end();
    };
    if (isInspected()) return await runRest(await here(configs));
    const count = Math.min(globalConfig.maxWorkers, tests.length);
    await Promise.all(Array.from({ length: count }, () => runRest(new Process(configs))));
  }
}

interface Configs {
  globalConfig: GlobalConfig;
  projectConfig: object;
}

interface Place {
  run: (path: string) => Promise<unknown>;
  end: () => Promise<unknown>;
}

/** A debugger is attached to the process that it was started with. */
function isInspected(): boolean {
  return process.execArgv.some((flag) => flag.startsWith('--inspect'));
}

async function here(configs: Configs): Promise<Place> {
  await setup(configs);
  return { run, end: async () => undefined };
}

/**
 * A pool of one process. A larger one goes on handing files to a process that a signal has ended,
 * and waits for ever for their results (jest-worker 30).
 */
class Process implements Place {
  readonly #configs: Configs;
  #pool: Pool;

  constructor(configs: Configs) {
    this.#configs = configs;
    this.#pool = startPool(configs);
  }

  async run(path: string): Promise<unknown> {
    try {
      return await this.#pool.run(path);
    } catch (error) {
      await this.end();
      this.#pool = startPool(this.#configs);
      throw error;
    }
  }

  async end(): Promise<unknown> {
    return await this.#pool.end();
  }
}

function startPool(configs: Configs): Pool {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- its types know no methods.
  const pool = new Worker(join(import.meta.dirname, 'light-worker.ts'), {
    exposedMethods: ['run'],
    numWorkers: 1,
    setupArgs: [configs],
    forkOptions: { stdio: 'pipe', serialization: 'advanced' },
    // A process that ends in the middle of a file has failed it.
    maxRetries: 0,
  }) as Pool;
  pool.getStdout().pipe(process.stdout);
  pool.getStderr().pipe(process.stderr);
  return pool;
}
