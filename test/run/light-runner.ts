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

type Farm = JestWorkerFarm<typeof lightWorker>;

/** As Jest calls it. */
export default class LightRunner {
  readonly #globalConfig: { maxWorkers: number };

  constructor(globalConfig: { maxWorkers: number }) {
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
    await using place = await (isInspected() ? here(configs) : processes(configs));
    const runOne = async (test: Test): Promise<void> => {
      try {
        await onStart(test);
        await onResult(test, await place.run(test.path));
      } catch (error) {
        await onFailure(test, error);
      }
    };
    await Promise.all(tests.map(runOne));
  }
}

interface Configs {
  globalConfig: { maxWorkers: number };
  projectConfig: object;
}

interface Place extends AsyncDisposable {
  run: (path: string) => Promise<unknown>;
}

/** A debugger is attached to the process that it was started with. */
function isInspected(): boolean {
  return process.execArgv.some((flag) => flag.startsWith('--inspect'));
}

/** One file after another. */
async function here(configs: Configs): Promise<Place> {
  await setup(configs);
  let turn: Promise<unknown> = Promise.resolve();
  return {
    run: (path) => {
      const mine = turn.then(() => run(path));
      turn = mine.catch(() => undefined);
      return mine;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function processes(configs: Configs): Promise<Place> {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- its types know no methods.
  const workers = new Worker(join(import.meta.dirname, 'light-worker.ts'), {
    exposedMethods: ['run'],
    numWorkers: configs.globalConfig.maxWorkers,
    setupArgs: [configs],
    forkOptions: { stdio: 'pipe', serialization: 'advanced' },
    // A process that ends in the middle of a file has failed it.
    maxRetries: 0,
  }) as Farm;
  workers.getStdout().pipe(process.stdout);
  workers.getStderr().pipe(process.stderr);
  return {
    run: (path) => workers.run(path),
    [Symbol.asyncDispose]: async () => void (await workers.end()),
  };
}
