/** A Temporal worker of a simulated process: what `Worker` of the SDK is with its native core. */
import type { Client } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import type { TemporalWorker } from '../../../workers/temporal/worker-factory.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { WorkerLine } from '../temporal/messages.ts';
import { startAttempt } from './activity-attempt.ts';
import type { AttemptSpec, RunningAttempt } from './activity-attempt.ts';
import { ActivityWorker } from './activity-worker.ts';
import type { RunPool } from './run-pool.ts';
import type { Sandbox } from './sandbox.ts';
import { Slots } from './slots.ts';
import { WorkflowWorker } from './workflow-worker.ts';

export interface WorkerHost {
  simulation: Simulation;
  process: SimulatedProcess;
  /** Another line for each worker. */
  line: WorkerLine;
  /** Of activities that call Temporal. */
  client: Client;
  /** Undefined for a worker without workflows. */
  sandbox: Sandbox | undefined;
  runs: RunPool;
  /** See `WorkflowWorkerParts`. */
  evictions: number;
  reused: number;
}

/** Not by the cores of this machine: every run of a seed has to be the same. */
const tasksMax = 40;
const localMax = 16;
const heartbeatThrottleMs = 1_000;

export function createWorker(
  host: WorkerHost,
  options: Omit<WorkerOptions, 'connection'>,
): TemporalWorker {
  const activities = activityWorker(host, options);
  const workflows = host.sandbox && workflowWorker(host, host.sandbox, options);
  return {
    async run() {
      await Promise.all([activities.run(), workflows?.run()]);
    },
    shutdown() {
      activities.stop();
      workflows?.stop();
      host.line.close();
      host.process.after(millisecondsOf(options.shutdownGraceTime), () => activities.cancelAll());
    },
  };
}

function activitySlotsOf({
  maxConcurrentActivityTaskExecutions = 100,
  tuner,
}: Omit<WorkerOptions, 'connection'>): number {
  const supplier = tuner && 'activityTaskSlotSupplier' in tuner && tuner.activityTaskSlotSupplier;
  const isFixed = supplier && supplier.type === 'fixed-size';
  return isFixed ? supplier.numSlots : maxConcurrentActivityTaskExecutions;
}

function activityWorker(host: WorkerHost, options: Omit<WorkerOptions, 'connection'>) {
  const { process, line, client } = host;
  return new ActivityWorker({
    process,
    line,
    taskQueue: options.taskQueue,
    tasksMax: activitySlotsOf(options),
    heartbeatThrottleMs,
    attempt: {
      activities: options.activities ?? {},
      interceptors: options.interceptors?.activity ?? [],
      client,
    },
  });
}

function workflowWorker(
  host: WorkerHost,
  sandbox: Sandbox,
  options: Omit<WorkerOptions, 'connection'>,
) {
  const slots = new Slots(localMax);
  const parts = {
    activities: options.activities ?? {},
    interceptors: options.interceptors?.activity ?? [],
    client: host.client,
    onHeartbeat: () => undefined,
  };
  async function start(spec: AttemptSpec): Promise<RunningAttempt> {
    await slots.take();
    const attempt = startAttempt(spec, parts);
    void attempt.outcome.finally(() => slots.free());
    return attempt;
  }
  const { simulation, process, line, runs, evictions, reused } = host;
  return new WorkflowWorker({
    simulation,
    process,
    line,
    sandbox,
    runs,
    taskQueue: options.taskQueue,
    tasksMax,
    cachedMax: options.maxCachedWorkflows ?? 1_000,
    local: { process, start },
    evictions,
    reused,
  });
}

/** Our processes say it in seconds: `15s`. */
function millisecondsOf(duration: WorkerOptions['shutdownGraceTime']): number {
  return typeof duration === 'number' ? duration : Number.parseFloat(String(duration ?? 0)) * 1_000;
}
