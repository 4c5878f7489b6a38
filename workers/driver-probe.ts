/** Whether somebody serves the queue of a provider. */
import type { Client } from '@temporalio/client';
import { builtInDrivers } from '../activities/drivers/index.ts';

/** Activity task queues, as `temporal.api.enums.v1.TaskQueueType` counts them. */
const activityQueue = 2;
const cacheMilliseconds = 2_000;

/** A built-in driver is always there; another provider's worker shows by polling its queue. */
export function createDriverProbe({
  temporal,
  taskQueue,
}: {
  temporal: Client;
  taskQueue: string;
}): (provider: string) => Promise<boolean> {
  const answers = new Map<string, { at: number; hasPoller: boolean }>();

  return async (provider) => {
    if (provider in builtInDrivers) return true;
    if (provider === '') return false;
    const known = answers.get(provider);
    if (known && performance.now() - known.at < cacheMilliseconds) return known.hasPoller;
    const { pollers } = await temporal.workflowService.describeTaskQueue({
      namespace: temporal.options.namespace,
      taskQueue: { name: `${taskQueue}-driver-${provider}` },
      taskQueueType: activityQueue,
    });
    const hasPoller = pollers.length > 0;
    answers.set(provider, { at: performance.now(), hasPoller });
    return hasPoller;
  };
}
