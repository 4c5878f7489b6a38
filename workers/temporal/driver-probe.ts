/** Whether a worker serves the queue of a provider. */
import type { Client } from '@temporalio/client';
import type { DriverCall } from '../../workflows/contracts/driver-activities.ts';
import { driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import { monotonicMs } from '../../activities/system/system.ts';

/** Activity task queues, as `temporal.api.enums.v1.TaskQueueType` counts them. */
const activityQueue = 2;
const cacheMilliseconds = 2_000;

/**
 * `ownDrivers`: of this process, which serves them from the first MachineClass on. Another process
 * shows by polling the queues of its provider.
 */
export function createDriverProbe({
  temporal,
  taskQueue,
  ownDrivers,
}: {
  temporal: Client;
  taskQueue: string;
  ownDrivers: readonly string[];
}): (provider: string, call?: DriverCall) => Promise<boolean> {
  const answers = new Map<string, { at: number; hasPoller: boolean }>();

  return async (provider, call = 'read') => {
    if (ownDrivers.includes(provider)) return true;
    if (provider === '') return false;
    const queue = driverQueueOf(taskQueue, provider, call);
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
