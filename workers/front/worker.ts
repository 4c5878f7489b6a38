/** The Temporal worker of the front: its workflows and their passes, on a queue of their own. */
import { namespaceNotServed } from '../../activities/runtime/failures.ts';
import { createActivityInterceptor } from '../../activities/interceptor.ts';
import type { FrontActivities } from '../../workflows/contracts/front-activities.ts';
import type { Config } from '../config/config.ts';
import { encodingFailures, failingErrors, workflowBundleOf } from '../temporal/bundle-workflows.ts';
import type { TemporalWorker, WorkerFactory } from '../temporal/worker-factory.ts';
import { activityWorkerOptions, corePolls } from '../temporal/workers.ts';
import { noTraceSinks } from '../traces/no-traces.ts';
import type { FrontMetrics } from './metrics.ts';

export interface FrontWorkerParts {
  config: Config;
  /** Of the workflows of the front. */
  taskQueue: string;
  factory: WorkerFactory;
  activities: FrontActivities;
}

export async function createFrontWorker(parts: FrontWorkerParts): Promise<TemporalWorker> {
  const { config, taskQueue, factory, activities } = parts;
  const bundle = await workflowBundleOf(config.workflowBundle);
  return await factory.create({
    ...activityWorkerOptions(config),
    ...corePolls,
    taskQueue,
    workflowBundle: config.temporal.payloadKeys ? await encodingFailures(bundle) : bundle,
    activities: { ...activities },
    interceptors: { activity: [createActivityInterceptor()] },
    sinks: noTraceSinks,
    workflowFailureErrorTypes: failingErrors,
    maxCachedWorkflows: config.concurrency.maxCachedWorkflows,
    stickyQueueScheduleToStartTimeout: config.timeouts.workflowTaskSeconds * 1_000,
  });
}

interface PassParts {
  /** By namespace. */
  activities: ReadonlyMap<string, FrontActivities>;
  /** For people. */
  whyNotServed(namespace: string): string | undefined;
  metrics: FrontMetrics;
}

/** A pass runs with what its namespace has; of one that is not served it fails, and comes again. */
export function passesByNamespace({
  activities,
  whyNotServed,
  metrics,
}: PassParts): FrontActivities {
  return {
    async syncPool(input) {
      const { namespace } = input.ref;
      const own = activities.get(namespace);
      if (!own) {
        const why = whyNotServed(namespace) ?? 'it is none of the namespaces of this front';
        throw namespaceNotServed(namespace, why);
      }
      try {
        const outcome = await own.syncPool(input);
        metrics.passed(namespace, outcome);
        return outcome;
      } catch (error) {
        metrics.failed(namespace);
        throw error;
      }
    },
  };
}
