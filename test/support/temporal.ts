/** A Temporal server whose time can be skipped, with the workflow bundle of this project. */
import {
  Client,
  isGrpcCancelledError,
  isGrpcDeadlineError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type {
  ActivityInterceptorsFactory,
  Worker,
  WorkerOptions,
  WorkflowBundleOption,
} from '@temporalio/worker';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { preparedBinary } from '../../deploy/local/binaries/acquire.ts';
import { failingErrors } from '../../workers/temporal/bundle-workflows.ts';
import { eventually } from './eventually.ts';
import { SharedSandboxes } from './shared-sandboxes.ts';
import { bundleForTests } from './workflow-bundle.ts';
import { driverCalls } from '../../workflows/contracts/driver-activities.ts';
import { drainQueueOf, driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import { searchAttributes } from '../../workflows/contracts/search-attributes.ts';

const namespace = 'default';
/** A workflow that never rests keeps time from being skipped. */
const longestSkipSeconds = 600;
/** A server that skips time needs a few; one that does not is replaced, at worst for nothing. */
const longestAnswerMs = 500;
const longestQueryMs = 3_000;

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

type StartServer = () => Promise<TestWorkflowEnvironment>;
type Bundle = WorkflowBundleOption | Promise<WorkflowBundleOption>;

export class TemporalForTests {
  readonly #startServer: StartServer;
  #environment!: TestWorkflowEnvironment;
  #client!: Client;
  #bundle!: WorkflowBundleOption;
  readonly #sandboxes = new SharedSandboxes();

  private constructor(start: StartServer) {
    this.#startServer = start;
  }

  /**
   * Not the environment's own, which skips time while it awaits a result: time passes here by
   * `skip` alone.
   */
  get client(): Client {
    return this.#client;
  }

  static async start(bundle: Bundle = bundleForTests()): Promise<TemporalForTests> {
    const temporal = new TemporalForTests(startServer);
    await temporal.#begin(bundle);
    return temporal;
  }

  /** One for all tests of a file, in which it can be used. */
  static ofFile(start: StartServer = startServer): TemporalForTests {
    const temporal = new TemporalForTests(start);
    beforeAll(() => temporal.#begin(bundleForTests()));
    afterAll(() => temporal.stop());
    return temporal;
  }

  async #begin(bundle: Bundle): Promise<void> {
    this.#environment = await this.#startServer();
    this.#client = clientOf(this.#environment);
    this.#bundle = await bundle;
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

  /** Undefined when the server loses the query, as it does when a run ends meanwhile. */
  async ask<Answer>(
    handle: Pick<WorkflowHandle, 'query'>,
    query: string,
  ): Promise<Answer | undefined> {
    try {
      return await this.#client.withDeadline(Date.now() + longestQueryMs, () =>
        handle.query<Answer>(query),
      );
    } catch (error) {
      if (isGrpcDeadlineError(error) || isGrpcCancelledError(error)) return undefined;
      throw error;
    }
  }

  /** Asks until there is an answer that is not undefined. */
  async answerOf<Answer>(handle: Pick<WorkflowHandle, 'query'>, query: string): Promise<Answer> {
    const answers: Answer[] = [];
    await eventually(`an answer to the query ${query}`, async () => {
      const answer = await this.ask<Answer>(handle, query);
      if (answer !== undefined) answers.push(answer);
      return answer !== undefined;
    });
    const [answer] = answers;
    if (answer === undefined) throw new Error(`no answer to the query ${query}`);
    return answer;
  }

  /**
   * Runs `body` with workers for one workflow, which is over with it. The server may be another one
   * afterwards: what it knows is read inside.
   */
  async withWorkflow(
    { workflowId, taskQueue }: { workflowId: string; taskQueue: string },
    queues: Queues,
    body: () => Promise<void>,
  ): Promise<void> {
    try {
      await this.withWorkers(taskQueue, queues, async () => {
        try {
          await body();
        } finally {
          await this.end(workflowId);
        }
      });
    } finally {
      await this.#renewServer();
    }
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
    workflowBundle: WorkflowBundleOption,
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
    await this.#sandboxes.stop();
    await this.#environment.teardown();
  }

  /**
   * A workflow that ends while it waits for an activity or in the middle of a task keeps the server
   * from skipping time for ever, so that the tests after it would wait as long as the clock says.
   */
  async #renewServer(): Promise<void> {
    if (await this.#skipsTime()) return;
    await this.#environment.teardown();
    this.#environment = await this.#startServer();
    this.#client = clientOf(this.#environment);
  }

  async #skipsTime(): Promise<boolean> {
    const { connection } = this.#environment;
    try {
      const deadline = Date.now() + longestAnswerMs;
      await connection.withDeadline(deadline, () => this.#environment.sleep(2 * longestAnswerMs));
      return true;
    } catch (error) {
      if (isGrpcDeadlineError(error) || isGrpcCancelledError(error)) return false;
      throw error;
    }
  }

  async #worker(options: WorkerOptions): Promise<Worker> {
    return await this.#sandboxes.createWorker({
      connection: this.#environment.nativeConnection,
      namespace,
      shutdownForceTime: '5s',
      stickyQueueScheduleToStartTimeout: '2s',
      ...options,
    });
  }
}

async function startServer(): Promise<TestWorkflowEnvironment> {
  const path = await preparedBinary('temporal-test-server');
  const server = { executable: { type: 'existing-path', path } } as const;
  return await withSearchAttributes(await TestWorkflowEnvironment.createTimeSkipping({ server }));
}

export async function withSearchAttributes(
  environment: TestWorkflowEnvironment,
): Promise<TestWorkflowEnvironment> {
  await environment.connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: indexedTypes(),
  });
  return environment;
}

function clientOf({ connection }: TestWorkflowEnvironment): Client {
  return new Client({ connection, namespace });
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
