/** A Temporal server whose time can be skipped, with the workflow bundle of this project. */
import { fileURLToPath } from 'node:url';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import type { InternalConnectionOptions } from '@temporalio/client/lib/connection.js';
import { InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { searchAttributes } from '../../workflows/messages.ts';
import type { TestServer } from './temporal-server.ts';
import { startTestServer } from './temporal-server.ts';

const namespace = 'default';
const longestStartSeconds = 20;
/** A workflow that never rests keeps time from being skipped. */
const longestSkipSeconds = 8;
const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

/** Activities of the three queues of one test: its own, its driver's and that for drains. */
export interface Queues {
  kube: object;
  driver?: object;
  drain?: object;
}

export async function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
}

/** Once in a process: only errors of the SDK are of interest in a test. */
export function quietRuntime(): void {
  const options = { logging: { filter: 'ERROR', forward: {} } };
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: options });
}

export class TemporalForTests {
  readonly client: Client;
  readonly #server: TestServer;
  readonly #connection: Connection;
  readonly #native: NativeConnection;
  readonly #bundle: WorkflowBundleWithSourceMap;

  private constructor(parts: {
    server: TestServer;
    connection: Connection;
    native: NativeConnection;
    bundle: WorkflowBundleWithSourceMap;
  }) {
    this.#server = parts.server;
    this.#connection = parts.connection;
    this.#native = parts.native;
    this.#bundle = parts.bundle;
    this.client = new Client({ connection: parts.connection, namespace });
  }

  static async start(): Promise<TemporalForTests> {
    quietRuntime();
    const bundle = await bundleWorkflows();
    const server = await startTestServer();
    const options: InternalConnectionOptions = {
      address: server.address,
      [InternalConnectionOptionsSymbol]: { supportsTestService: true },
    };
    const connection = Connection.lazy(options);
    const deadline = Date.now() + longestStartSeconds * 1000;
    await connection.withDeadline(deadline, () => connection.ensureConnected());
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: indexedTypes(),
    });
    const native = await NativeConnection.connect({ address: server.address });
    return new TemporalForTests({ server, connection, native, bundle });
  }

  /** The server's time, milliseconds. */
  async now(): Promise<number> {
    const { time } = await this.#service().getCurrentTime({});
    return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
  }

  /** Lets that much time pass at once; timers ring on the way. While an activity runs, it passes as usual. */
  async skip(seconds: number): Promise<void> {
    const deadline = Date.now() + longestSkipSeconds * 1000;
    const duration = msToTs(seconds * 1000);
    await this.#connection.withDeadline(deadline, () =>
      this.#service().unlockTimeSkippingWithSleep({ duration }),
    );
  }

  /** Runs `body` with workers of the task queue and of those for its drivers and drains. */
  async withWorkers<T>(taskQueue: string, queues: Queues, body: () => Promise<T>): Promise<T> {
    const workers = await Promise.all([
      this.#worker(taskQueue, { activities: queues.kube, workflowBundle: this.#bundle }),
      ...(queues.driver
        ? [this.#worker(`${taskQueue}-driver-local`, { activities: queues.driver })]
        : []),
      ...(queues.drain ? [this.#worker(`${taskQueue}-drain`, { activities: queues.drain })] : []),
    ]);
    const running = Promise.all(workers.map((worker) => worker.run()));
    try {
      return await Promise.race([body(), running.then(() => endedEarly())]);
    } finally {
      for (const worker of workers) worker.shutdown();
      await running;
    }
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
    await this.#connection.close();
    await this.#native.close();
    await this.#server.stop();
  }

  async #worker(
    taskQueue: string,
    options: { activities: object; workflowBundle?: WorkflowBundleWithSourceMap },
  ): Promise<Worker> {
    const limits = { shutdownForceTime: '5s', stickyQueueScheduleToStartTimeout: '2s' } as const;
    return await Worker.create({
      connection: this.#native,
      namespace,
      taskQueue,
      ...limits,
      ...options,
    });
  }

  #service(): NonNullable<Connection['testService']> {
    const { testService } = this.#connection;
    if (!testService) throw new Error('this connection has no test service');
    return testService;
  }
}

function endedEarly(): never {
  throw new Error('the workers ended before the test did');
}

/** As the API numbers them. */
function indexedTypes(): Record<string, number> {
  const numbers = { KEYWORD: 2, DATETIME: 6 };
  return Object.fromEntries(
    Object.entries(searchAttributes).map(([name, type]) => [name, numbers[type]]),
  );
}
