/** A Temporal server whose time can be skipped, with the workflow bundle of this project. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection.js';
import type { InternalConnectionOptions } from '@temporalio/client/lib/connection.js';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { acquireTemporalTestServer } from '../../deploy/local/binaries/acquire.ts';
import { searchAttributes } from '../../workflows/messages.ts';

const namespace = 'default';
const longestStartSeconds = 10;
const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

/** Activities of the three queues of one test: its own, its driver's and that for drains. */
export interface Queues {
  kube: object;
  driver?: object;
  drain?: object;
}

export interface TemporalForTests {
  client: Client;
  bundle: WorkflowBundleWithSourceMap;
  /** The server's time, milliseconds. */
  now(): Promise<number>;
  /** Lets that much time pass at once; timers ring on the way. */
  skip(seconds: number): Promise<void>;
  /** Runs `body` with workers of the task queue and of those for its drivers and drains. */
  withWorkers<T>(taskQueue: string, queues: Queues, body: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

export async function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  quieten();
  return await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
}

export async function startTemporal(): Promise<TemporalForTests> {
  const bundle = await bundleWorkflows();
  const port = await freePort();
  const server = spawn(await acquireTemporalTestServer(), [String(port)], { stdio: 'ignore' });
  // A test run that ends early must not leave the server behind.
  const kill = (): boolean => server.kill('SIGKILL');
  process.once('exit', kill);
  const address = `127.0.0.1:${port}`;
  const options: InternalConnectionOptions = {
    address,
    [InternalConnectionOptionsSymbol]: { supportsTestService: true },
  };
  const connection = Connection.lazy(options);
  await connection.withDeadline(Date.now() + longestStartSeconds * 1000, () =>
    connection.ensureConnected(),
  );
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: typesOf() });
  const native = await NativeConnection.connect({ address });

  const workerOf = async (taskQueue: string, activities: object | undefined): Promise<Worker> =>
    await Worker.create({
      connection: native,
      namespace,
      taskQueue,
      ...(activities && { activities }),
      shutdownForceTime: '5s',
    });

  return {
    client: new Client({ connection, namespace }),
    bundle,
    now: async () => millisecondsOf((await connection.testService.getCurrentTime({})).time),
    skip: async (seconds) => {
      const duration = { seconds, nanos: 0 };
      await connection.testService.unlockTimeSkippingWithSleep({ duration } as never);
    },
    async withWorkers(taskQueue, { kube, driver, drain }, body) {
      const core = await Worker.create({
        connection: native,
        namespace,
        taskQueue,
        workflowBundle: bundle,
        activities: kube,
        shutdownForceTime: '5s',
      });
      const others = await Promise.all([
        ...(driver ? [workerOf(`${taskQueue}-driver-local`, driver)] : []),
        ...(drain ? [workerOf(`${taskQueue}-drain`, drain)] : []),
      ]);
      const [last, ...outer] = [...others, core].reverse();
      let run = (): Promise<unknown> => (last as Worker).runUntil(body);
      for (const worker of outer) {
        const inner = run;
        run = () => worker.runUntil(inner);
      }
      return (await run()) as never;
    },
    async stop() {
      await connection.close();
      await native.close();
      process.off('exit', kill);
      kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    },
  };
}

function quieten(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  } catch {
    // Installed already
  }
}

function typesOf(): Record<string, number> {
  const numbers = { KEYWORD: 2, DATETIME: 6 };
  return Object.fromEntries(
    Object.entries(searchAttributes).map(([name, type]) => [name, numbers[type]]),
  );
}

function millisecondsOf(time: any): number {
  return Number(time.seconds) * 1000 + Math.floor(time.nanos / 1e6);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
