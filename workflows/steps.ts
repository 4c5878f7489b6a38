/** How activities are called: time limits, retries, queues. */
import type { ActivityInterfaceFor, ActivityOptions } from '@temporalio/workflow';
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  DrainActivities,
  DriverActivities,
  KubeActivities,
  OrphanActivities,
  SafetyActivities,
} from './activities.ts';
import { clip, longestSummaryBytes } from './api/clip.ts';

type Steps = ActivityInterfaceFor<KubeActivities>;

/**
 * A local activity holds a workflow-task slot, so it gets two seconds (docs/decisions/0002-recovery.md); what takes longer
 * goes on in the regular form, which is durable and visible.
 */
const shortForm = proxyLocalActivities<KubeActivities>({
  startToCloseTimeout: '2s',
  retry: { maximumAttempts: 2, initialInterval: '100ms' },
});

const regularOptions: ActivityOptions = {
  startToCloseTimeout: '30s',
  heartbeatTimeout: '4s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
};

/** Runs a short step on Kubernetes as a local activity, and durably when that fails. */
export async function shortStep<Outcome>(
  run: (steps: Steps) => Promise<Outcome>,
  summary: string,
): Promise<Outcome> {
  try {
    return await run(shortForm);
  } catch (error) {
    // A local activity that timed out fails with an ActivityFailure when it happens, and with the bare TimeoutFailure
    // inside it when its marker is replayed (SDK 1.24.0): both must take the same way.
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    return await run(regularSteps(summary));
  }
}

/** A step that a person wants to see in the history. */
export function regularSteps(summary: string): Steps {
  return proxyActivities<KubeActivities>({
    ...regularOptions,
    summary: clip(summary, longestSummaryBytes),
  });
}

/** The same without a retry: whoever calls it looks again before the next attempt, and waits longer each time. */
export function singleAttempts(summary: string): Steps {
  const retry = { maximumAttempts: 1 };
  return proxyActivities<KubeActivities>({
    ...regularOptions,
    retry,
    summary: clip(summary, longestSummaryBytes),
  });
}

/** As the SDKs call an activity that a worker does not serve: in TypeScript, Python and others, and in Go. */
export const notServed = ['NotFoundError', 'ActivityNotRegisteredError'];

/** Nobody polls the queue of a provider without a driver: said on the object after this time, not waited for in silence. */
const longestQueueWait = '60s';

export function driverSteps(
  provider: string,
  summary: string,
): ActivityInterfaceFor<DriverActivities> {
  return proxyActivities<DriverActivities>({
    taskQueue: `${workflowInfo().taskQueue}-driver-${provider}`,
    scheduleToStartTimeout: longestQueueWait,
    startToCloseTimeout: '5m',
    heartbeatTimeout: '4s',
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      // Said on the object, instead of being tried again in silence.
      nonRetryableErrorTypes: notServed,
    },
    summary: clip(summary, longestSummaryBytes),
  });
}

/** A check reports what it could not do and ends; its next run tries again. */
const checkOptions: ActivityOptions = {
  startToCloseTimeout: '60s',
  scheduleToCloseTimeout: '2m',
  heartbeatTimeout: '4s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '20s' },
};

export function checkSteps(summary: string): ActivityInterfaceFor<SafetyActivities> {
  return proxyActivities<SafetyActivities>({ ...checkOptions, summary });
}

export function orphanSteps(
  provider: string,
  summary: string,
): ActivityInterfaceFor<OrphanActivities> {
  return proxyActivities<OrphanActivities>({
    ...checkOptions,
    taskQueue: `${workflowInfo().taskQueue}-driver-${provider}`,
    scheduleToStartTimeout: longestQueueWait,
    summary,
  });
}

/** What is wrong with a class; no call to a cloud. */
export function classSteps(
  provider: string,
  { summary, queueWait }: { summary: string; queueWait: '60s' | '12h' },
): ActivityInterfaceFor<Pick<DriverActivities, 'validateClass'>> {
  return proxyActivities<Pick<DriverActivities, 'validateClass'>>({
    taskQueue: `${workflowInfo().taskQueue}-driver-${provider}`,
    scheduleToStartTimeout: queueWait,
    startToCloseTimeout: '30s',
    heartbeatTimeout: '4s',
    // A driver of an earlier contract does not know the question.
    retry: { maximumAttempts: 3, initialInterval: '500ms', backoffCoefficient: 2 },
    summary: clip(summary, longestSummaryBytes),
  });
}

type LookActivities = Pick<DriverActivities, 'describeInstance' | 'listInstances'>;

/** A question that is answered soon or not at all. */
export function lookSteps(provider: string, summary: string): ActivityInterfaceFor<LookActivities> {
  return proxyActivities<LookActivities>({
    ...checkOptions,
    retry: { ...checkOptions.retry, nonRetryableErrorTypes: notServed },
    taskQueue: `${workflowInfo().taskQueue}-driver-${provider}`,
    scheduleToStartTimeout: longestQueueWait,
    summary,
  });
}

/** Deletes what was found to be nobody's a moment ago: at once or not at all. */
export function listedDeletion(
  provider: string,
  summary: string,
): ActivityInterfaceFor<Pick<DriverActivities, 'deleteListed'>> {
  return proxyActivities<Pick<DriverActivities, 'deleteListed'>>({
    taskQueue: `${workflowInfo().taskQueue}-driver-${provider}`,
    scheduleToStartTimeout: '5s',
    startToCloseTimeout: '5m',
    heartbeatTimeout: '4s',
    retry: { maximumAttempts: 1 },
    summary: clip(summary, longestSummaryBytes),
  });
}

export function drainSteps(summary: string): ActivityInterfaceFor<DrainActivities> {
  return proxyActivities<DrainActivities>({
    taskQueue: `${workflowInfo().taskQueue}-drain`,
    startToCloseTimeout: '60s',
    heartbeatTimeout: '4s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '20s' },
    summary: clip(summary, longestSummaryBytes),
  });
}

/** The innermost words of a failed step, for status, Events and details. */
export function messageOf(error: unknown): string {
  if (error instanceof ActivityFailure && error.cause) return messageOf(error.cause);
  if (error instanceof ApplicationFailure) return error.message;
  return error instanceof Error ? error.message : String(error);
}
