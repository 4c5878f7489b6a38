/** Whether a worker serves the queue of a provider. */
import type { Client } from '@temporalio/client';
import { isBuiltIn } from '../../activities/drivers/index.ts';
import type { DriverCall } from '../../workflows/contracts/driver-activities.ts';
import { driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import { monotonicMs } from '../../activities/system/system.ts';

/** Activity task queues, as `temporal.api.enums.v1.TaskQueueType` counts them. */
const activityQueue = 2;
const cacheMilliseconds = 2_000;

/** A built-in driver is always there; another provider's worker shows by polling its queues. */
export function createDriverProbe({
  temporal,
  taskQueue,
}: {
  temporal: Client;
  taskQueue: string;
}): (provider: string, call?: DriverCall) => Promise<boolean> {
  const answers = new Map<string, { at: number; hasPoller: boolean }>();

  return async (provider, call = 'read') => {
    if (isBuiltIn(provider)) return true;
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
