/** Reports whether a worker, of this process or another, serves drivers and drains. */
import type { Client } from '@temporalio/client';
import type { ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import { drainQueueOf, driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import { monotonicMs } from '../../activities/system/system.ts';

/** Activity task queues, as `temporal.api.enums.v1.TaskQueueType` counts them. */
const activityQueue = 2;
const cacheMilliseconds = 2_000;

export type ServiceProbes = Pick<
  ActivityDependencies,
  'hasDriver' | 'hasDrainWorker' | 'rateLimitOf'
>;

/**
 * `serves`: what this process does, its drivers from the first MachineClass on. Another process
 * shows by polling the queues; Temporal remembers that for some minutes.
 */
export function createServiceProbes({
  temporal,
  taskQueue,
  serves,
}: {
  temporal: Client;
  taskQueue: string;
  serves: { drivers: readonly string[]; drain: boolean };
}): ServiceProbes {
  const hasPoller = createPollerProbe(temporal);
  return {
    async hasDriver(provider, call = 'read') {
      if (serves.drivers.includes(provider)) return true;
      if (provider === '') return false;
      return await hasPoller(driverQueueOf(taskQueue, provider, call));
    },
    hasDrainWorker: async () => serves.drain || (await hasPoller(drainQueueOf(taskQueue))),
    // Asked seldom: when no worker has taken a task for a minute.
    async rateLimitOf(of) {
      const isDrain = of === 'drains';
      const queue = isDrain
        ? drainQueueOf(taskQueue)
        : driverQueueOf(taskQueue, of.provider, of.call);
      return await readRateLimit(temporal, queue);
    },
  };
}

/** Only words depend on it: where it cannot be read there is none. */
async function readRateLimit(temporal: Client, queue: string): Promise<number | undefined> {
  try {
    const { config } = await temporal.workflowService.describeTaskQueue({
      namespace: temporal.options.namespace,
      taskQueue: { name: queue },
      taskQueueType: activityQueue,
      reportConfig: true,
    });
    return config?.queueRateLimit?.rateLimit?.requestsPerSecond ?? undefined;
  } catch {
    return undefined;
  }
}

function createPollerProbe(temporal: Client): (queue: string) => Promise<boolean> {
  const answers = new Map<string, { at: number; hasPoller: boolean }>();
  return async (queue) => {
    const known = answers.get(queue);
    if (known && monotonicMs() - known.at < cacheMilliseconds) return known.hasPoller;
    const { pollers } = await temporal.workflowService.describeTaskQueue({
      namespace: temporal.options.namespace,
      taskQueue: { name: queue },
      taskQueueType: activityQueue,
    });
    const hasPoller = pollers.length > 0;
    answers.set(queue, { at: monotonicMs(), hasPoller });
    return hasPoller;
  };
}
