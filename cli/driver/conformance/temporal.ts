/**
 * A Temporal worker of the command's own, on a task queue of its own: it runs the workflow that
 * asks.
 */
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Logger, WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { builtBundle } from '../../../workers/temporal/built-bundle.ts';
import { bundleWorkflows, encodingFailures } from '../../../workers/temporal/bundle-workflows.ts';
import type { TemporalSettings } from '../../../workers/config/temporal.ts';
import { dataConverterOf } from '../../../workers/payloads/data-converter.ts';
import type { askDriver, Question, Reply } from './workflow.ts';

/**
 * `lose`: the answer is not delivered. `cancel`: the driver is asked to stop. Both once it has
 * begun.
 */
export type Interruption = 'lose' | 'cancel';

export interface Asker {
  /** Undefined: the answer is lost. One that came before the interruption is handed on. */
  ask(question: Question, interruption?: Interruption): Promise<Reply | undefined>;
  /** Until an operation of the cloud is to be asked for again. */
  rest(seconds: number): Promise<void>;
  /** Says if a worker polls the queue for activities now. */
  isServed(queue: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Activity task queues, as `temporal.api.enums.v1.TaskQueueType` counts them. */
const activityQueue = 2;
/** Longer than any question may take: when the command is killed its workflow ends by itself. */
const longestQuestion = '15m';

/** With the interceptors of the core, which put cluster and namespace on each activity. */
export async function bundleKit(logger: Logger): Promise<WorkflowBundleWithSourceMap> {
  const workflowsPath = fileURLToPath(new URL('workflow.ts', import.meta.url));
  return await bundleWorkflows({ workflowsPath, logger });
}

/** `run` names this run of the command; it stands in workflow ids and in the name of the queue. */
export async function startAsker(settings: TemporalSettings, run: string): Promise<Asker> {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({
    logger,
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
    // The clean-up needs the worker.
    shutdownSignals: [],
  });
  const connection = await NativeConnection.connect(settings.connection);
  const { namespace } = settings;
  const taskQueue = `millwright-${run}`;
  const bundle = builtBundle('kit-workflow-bundle.js') ?? (await bundleKit(logger));
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: settings.payloadKeys ? await encodingFailures(bundle) : bundle,
    ...dataConverterOf(settings),
  });
  const running = worker.run();
  const client = new Client({ connection, namespace, ...dataConverterOf(settings) });
  let count = 0;
  return {
    async ask(question, interruption) {
      count += 1;
      const asked = await client.workflow.start<typeof askDriver>('askDriver', {
        taskQueue,
        workflowId: `${run}/${count}-${question.activity}`,
        workflowExecutionTimeout: longestQuestion,
        args: [question],
      });
      const isLost = interruption !== undefined && (await interrupt(asked, interruption));
      return isLost ? undefined : await asked.result();
    },
    rest: (seconds) => setTimeout(seconds * 1_000),
    async isServed(queue) {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: queue },
        taskQueueType: activityQueue,
      });
      return pollers.length > 0;
    },
    async close() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

/** As `temporal.api.enums.v1.PendingActivityState` counts them. */
const started = 2;

/** Returns whether the answer is lost. An answer that came before is none that could be lost. */
async function interrupt(asked: WorkflowHandle, interruption: Interruption): Promise<boolean> {
  if (!(await untilBegun(asked))) return false;
  try {
    if (interruption === 'cancel') await asked.cancel();
    else await asked.terminate('the answer is to be lost');
    return interruption === 'lose';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/**
 * False when it is over already. Without a pause: a quick driver is done within milliseconds; its
 * time limit ends this too.
 */
async function untilBegun(asked: WorkflowHandle): Promise<boolean> {
  for (;;) {
    const { status, raw } = await asked.describe();
    if (status.name !== 'RUNNING') return false;
    if (raw.pendingActivities?.some(({ state }) => Number(state) === started)) return true;
  }
}
