/** A Temporal server whose time can be skipped, with the workflow bundle of this project. */
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type {
  ActivityInterceptorsFactory,
  WorkflowBundleWithSourceMap,
  WorkerOptions,
} from '@temporalio/worker';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { acquireTemporalTestServer } from '../../deploy/local/binaries/acquire.ts';
import { bundleWorkflows, failingErrors } from '../../workers/temporal/bundle-workflows.ts';
import { driverCalls } from '../../workflows/contracts/driver-activities.ts';
import { drainQueueOf, driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import { searchAttributes } from '../../workflows/contracts/search-attributes.ts';

const namespace = 'default';
/** A workflow that never rests keeps time from being skipped. */
const longestSkipSeconds = 8;

/** Activities of the three queues of one test: its own, its driver's and that for drains. */
export interface Queues {
  kube: object;
  driver?: object;
  drain?: object;
  /** Of the activities of all queues. */
  interceptors?: ActivityInterceptorsFactory[];
}

// Only errors of the SDK are of interest in a test.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
});

export async function bundleForTests(): Promise<WorkflowBundleWithSourceMap> {
  return await bundleWorkflows({ logger: new DefaultLogger('ERROR') });
}

export class TemporalForTests {
  /**
   * Not the environment's own, which skips time while it awaits a result: time passes here by
   * `skip` alone.
   */
  readonly client: Client;
  readonly #environment: TestWorkflowEnvironment;
  readonly #bundle: WorkflowBundleWithSourceMap;

  private constructor(environment: TestWorkflowEnvironment, bundle: WorkflowBundleWithSourceMap) {
    this.client = new Client({ connection: environment.connection, namespace });
    this.#environment = environment;
    this.#bundle = bundle;
  }

  static async start(
    bundle: WorkflowBundleWithSourceMap | Promise<WorkflowBundleWithSourceMap> = bundleForTests(),
  ): Promise<TemporalForTests> {
    const path = await acquireTemporalTestServer();
    const server = { executable: { type: 'existing-path', path } } as const;
    const environment = await TestWorkflowEnvironment.createTimeSkipping({ server });
    await environment.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: indexedTypes(),
    });
    return new TemporalForTests(environment, await bundle);
  }

  /** The server's time, milliseconds. */
  async now(): Promise<number> {
    return await this.#environment.currentTimeMs();
  }

  /**
   * Lets that much time pass at once; timers ring on the way. While an activity runs, it passes as
   * usual.
   */
  async skip(seconds: number): Promise<void> {
    const deadline = Date.now() + longestSkipSeconds * 1000;
    await this.#environment.connection.withDeadline(deadline, () =>
      this.#environment.sleep(seconds * 1000),
    );
  }

  /** Runs `body` with workers of the task queue and of those for its drivers and drains. */
  async withWorkers<T>(taskQueue: string, queues: Queues, body: () => Promise<T>): Promise<T> {
    const { kube, driver, drain, interceptors: activity = [] } = queues;
    const interceptors = { activity };
    const workers = await Promise.all([
      this.#worker({
        taskQueue,
        activities: kube,
        interceptors,
        workflowBundle: this.#bundle,
        workflowFailureErrorTypes: failingErrors,
      }),
      ...(driver
        ? driverCalls.map((call) =>
            this.#worker({
              taskQueue: driverQueueOf(taskQueue, 'virtual', call),
              activities: driver,
              interceptors,
            }),
          )
        : []),
      ...(drain
        ? [this.#worker({ taskQueue: drainQueueOf(taskQueue), activities: drain, interceptors })]
        : []),
    ]);
    const running = Promise.all(workers.map((worker) => worker.run()));
    try {
      return await Promise.race([body(), running.then(() => endedEarly())]);
    } finally {
      for (const worker of workers) worker.shutdown();
      await running;
    }
  }

  /** Runs `body` with a worker that has other workflow code. */
  async withOtherCode(
    workflowBundle: WorkflowBundleWithSourceMap,
    taskQueue: string,
    body: () => Promise<void>,
  ): Promise<void> {
    // Without a cache, so that the next worker gets the workflow at once.
    const worker = await this.#worker({ taskQueue, workflowBundle, maxCachedWorkflows: 0 });
    await worker.runUntil(body());
  }

  /** Runs `body` with one worker that a test describes itself. */
  async withWorker(options: WorkerOptions, body: () => Promise<void>): Promise<void> {
    const worker = await this.#worker({ maxCachedWorkflows: 0, ...options });
    await worker.runUntil(body());
  }

  /** A workflow without a worker would keep the server's time from being skipped. */
  async end(workflowId: string): Promise<void> {
    try {
      await this.client.workflow.getHandle(workflowId).terminate('the test is over');
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#environment.teardown();
  }

  async #worker(options: WorkerOptions): Promise<Worker> {
    return await Worker.create({
      connection: this.#environment.nativeConnection,
      namespace,
      shutdownForceTime: '5s',
      stickyQueueScheduleToStartTimeout: '2s',
      ...options,
    });
  }
}

function endedEarly(): never {
  throw new Error('the workers ended before the test did');
}

/** As the API numbers them. */
function indexedTypes(): Record<string, number> {
  const numbers = { TEXT: 1, KEYWORD: 2, DATETIME: 6 };
  return Object.fromEntries(
    Object.entries(searchAttributes).map(([name, type]) => [name, numbers[type]]),
  );
}
