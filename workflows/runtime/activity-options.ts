/** How activities are called: time limits, retries, queues. */
import type { ActivityInterfaceFor, ActivityOptions } from '@temporalio/workflow';
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { DrainActivities } from '../contracts/drain-activities.ts';
import type { DriverActivities, DriverCall } from '../contracts/driver-activities.ts';
import type { LaunchActivities } from '../contracts/launch-activities.ts';
import type { KubeActivities } from '../contracts/kube-activities.ts';
import type {
  OrphanActivities,
  SafetyActivities,
  InstallActivities,
} from '../contracts/safety-activities.ts';
import { clip, longestSummaryBytes } from '../values/clip.ts';
import { longestLocalStepMs } from '../values/local-step.ts';
import { heartbeatSecondsIn } from '../contracts/run-memo.ts';
import { drainQueueOf, driverQueueOf } from '../contracts/task-queues.ts';

type Steps = ActivityInterfaceFor<KubeActivities>;

/**
 * A step that fails or takes longer goes on in the regular form, which is durable and visible. The
 * SDK tries nothing again: the time limit of an attempt outlives it
 * (docs/decisions/0002-recovery.md).
 */
const local = proxyLocalActivities<KubeActivities>({
  startToCloseTimeout: longestLocalStepMs,
  retry: { maximumAttempts: 1 },
});

/** Milliseconds. A worker that died says nothing any more. */
function heartbeatTimeout(): number {
  return heartbeatSecondsIn(workflowInfo().memo) * 1_000;
}

const regularRetry = {
  initialInterval: '500ms',
  backoffCoefficient: 2,
  maximumInterval: '10s',
} as const;

function regularOptions(summary: string): ActivityOptions {
  return {
    startToCloseTimeout: '30s',
    heartbeatTimeout: heartbeatTimeout(),
    retry: regularRetry,
    summary: clip(summary, longestSummaryBytes),
  };
}

/** Runs a short step on Kubernetes as a local activity, and durably when that fails. */
export async function localFirst<Outcome>(
  run: (steps: Steps) => Promise<Outcome>,
  summary: string,
): Promise<Outcome> {
  return await localThen(run, () => regular(summary));
}

/**
 * The same without a retry of the regular form: it fails, so that the workflow goes on with what
 * else is to be done.
 */
export async function localFirstOnce<Outcome>(
  run: (steps: Steps) => Promise<Outcome>,
  summary: string,
): Promise<Outcome> {
  return await localThen(run, () => singleAttempt(summary));
}

/** The same, but a stop fails it, so that the workflow goes on with what a stop allows. */
export async function localFirstUnlessStopped<Outcome>(
  run: (steps: Steps) => Promise<Outcome>,
  summary: string,
): Promise<Outcome> {
  return await localThen(run, () => unlessStopped(summary));
}

async function localThen<Outcome>(
  run: (steps: Steps) => Promise<Outcome>,
  longForm: () => Steps,
): Promise<Outcome> {
  try {
    return await run(local);
  } catch (error) {
    // A local activity that timed out fails with an ActivityFailure when it happens, and with the
    // bare TimeoutFailure inside it when its marker is replayed (SDK 1.24.0): both must take the
    // same way.
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    return await run(longForm());
  }
}

/** A step that a person wants to see in the history. */
export function regular(summary: string): Steps {
  return proxyActivities<KubeActivities>(regularOptions(summary));
}

/** As activities/runtime/failures.ts calls it. */
const stopType = 'Stopped';

/**
 * The same, but a stop ends it: the loop goes on with what a stop allows. A cancelled step has
 * ended when the call returns.
 */
export function unlessStopped(summary: string): Steps {
  return proxyActivities<KubeActivities>({
    ...regularOptions(summary),
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { ...regularRetry, nonRetryableErrorTypes: [stopType] },
  });
}

/** No worker took the task within its schedule-to-start timeout. */
export function isUntaken(error: unknown): boolean {
  return timeoutOf(error) === 'SCHEDULE_TO_START';
}

/** Which timeout ended an activity; undefined when none did. */
export function timeoutOf(error: unknown): TimeoutFailure['timeoutType'] | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure ? cause.timeoutType : undefined;
}

/** A person has stopped everything. */
export function isStop(error: unknown): error is ActivityFailure {
  if (!(error instanceof ActivityFailure)) return false;
  return error.cause instanceof ApplicationFailure && error.cause.type === stopType;
}

/**
 * The same without a retry: the caller reads again before the next attempt, and waits longer each
 * time.
 */
export function singleAttempt(summary: string): Steps {
  const retry = { maximumAttempts: 1 };
  return proxyActivities<KubeActivities>({ ...regularOptions(summary), retry });
}

const notServedInGo = 'ActivityNotRegisteredError';

/**
 * As the SDKs call an activity that a worker does not serve: in TypeScript, Python and others, in
 * Go, and in Java. But for that of Go, drivers may have exceptions of these names themselves.
 */
export const notServed = ['NotFoundError', notServedInGo, 'java.lang.IllegalArgumentException'];

export function isNotServed(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || !notServed.includes(cause.type ?? '')) return false;
  return cause.type === notServedInGo || cause.message.includes('not registered');
}

/**
 * After this time the workflow asks whether a worker polls the queue. If none does, the object says
 * so: a wait in silence would look like a hang.
 */
const longestQueueWait = '60s';

interface DriverCallOptions {
  call: DriverCall;
  summary: string;
  limitMs?: number;
}

export function driverCall(
  provider: string,
  options: DriverCallOptions,
): ActivityInterfaceFor<DriverActivities> {
  return proxyActivities<DriverActivities>(driverCallOptions(provider, options));
}

/** It has one attempt: the workflow schedules the single steps for the part that is left. */
export function launchCall(
  provider: string,
  options: Omit<DriverCallOptions, 'call'>,
): ActivityInterfaceFor<LaunchActivities> {
  return proxyActivities<LaunchActivities>({
    ...driverCallOptions(provider, { ...options, call: 'create' }),
    // Without a free slot the Machine gets its finalizer and its token step by step.
    scheduleToStartTimeout: '10s',
    retry: { maximumAttempts: 1 },
  });
}

function driverCallOptions(
  provider: string,
  { call, summary, limitMs }: DriverCallOptions,
): ActivityOptions {
  return {
    // The instance of a cancelled create shows within the driver's settle time from its end.
    ...(call === 'create' && { cancellationType: 'WAIT_CANCELLATION_COMPLETED' }),
    ...(limitMs !== undefined && { scheduleToCloseTimeout: limitMs }),
    taskQueue: driverQueueOf(workflowInfo().taskQueue, provider, call),
    scheduleToStartTimeout: longestQueueWait,
    startToCloseTimeout: '5m',
    heartbeatTimeout: heartbeatTimeout(),
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      // Said on the object, instead of being tried again in silence.
      nonRetryableErrorTypes: notServed,
    },
    summary: clip(summary, longestSummaryBytes),
  };
}

/** A check reports what it could not do and ends; its next run tries again. */
function checkOptions(summary: string): ActivityOptions {
  return {
    startToCloseTimeout: '60s',
    scheduleToCloseTimeout: '2m',
    heartbeatTimeout: heartbeatTimeout(),
    retry: checkRetry,
    summary,
  };
}

const checkRetry = {
  initialInterval: '1s',
  backoffCoefficient: 2,
  maximumInterval: '20s',
} as const;

export function safetyCheck(summary: string): ActivityInterfaceFor<SafetyActivities> {
  return proxyActivities<SafetyActivities>(checkOptions(summary));
}

/** Tried again until the limit of the run ends it: a failed run would pause the Schedule. */
export function installCheck(summary: string): ActivityInterfaceFor<InstallActivities> {
  return proxyActivities<InstallActivities>({
    startToCloseTimeout: '2m',
    heartbeatTimeout: heartbeatTimeout(),
    retry: checkRetry,
    summary,
  });
}

export function orphanCheck(
  provider: string,
  { call, summary }: { call: 'read' | 'delete'; summary: string },
): ActivityInterfaceFor<OrphanActivities> {
  return proxyActivities<OrphanActivities>({
    ...checkOptions(summary),
    taskQueue: driverQueueOf(workflowInfo().taskQueue, provider, call),
    scheduleToStartTimeout: longestQueueWait,
  });
}

/** Options of the call that checks a class; no call to a cloud. */
export function classValidation(
  provider: string,
  { summary, queueWait }: { summary: string; queueWait: '60s' | '12h' },
): ActivityInterfaceFor<Pick<DriverActivities, 'validateClass'>> {
  return proxyActivities<Pick<DriverActivities, 'validateClass'>>({
    taskQueue: driverQueueOf(workflowInfo().taskQueue, provider, 'read'),
    scheduleToStartTimeout: queueWait,
    startToCloseTimeout: '30s',
    heartbeatTimeout: heartbeatTimeout(),
    // A driver of an earlier contract does not know the question.
    retry: { maximumAttempts: 3, initialInterval: '500ms', backoffCoefficient: 2 },
    summary: clip(summary, longestSummaryBytes),
  });
}

type DriverQueries = Pick<DriverActivities, 'describeInstance' | 'listInstances'>;

/** A question that is answered soon or not at all. */
export function driverQuery(
  provider: string,
  summary: string,
): ActivityInterfaceFor<DriverQueries> {
  return proxyActivities<DriverQueries>({
    ...checkOptions(summary),
    retry: { ...checkRetry, nonRetryableErrorTypes: notServed },
    taskQueue: driverQueueOf(workflowInfo().taskQueue, provider, 'read'),
    scheduleToStartTimeout: longestQueueWait,
  });
}

/** Asked once, while a machine waits for it to turn Failed: 15 s at most. */
export function consoleQuery(
  provider: string,
  summary: string,
): ActivityInterfaceFor<Pick<DriverActivities, 'getConsoleOutput'>> {
  return proxyActivities<Pick<DriverActivities, 'getConsoleOutput'>>({
    taskQueue: driverQueueOf(workflowInfo().taskQueue, provider, 'read'),
    scheduleToStartTimeout: '5s',
    startToCloseTimeout: '10s',
    scheduleToCloseTimeout: '15s',
    heartbeatTimeout: heartbeatTimeout(),
    retry: { maximumAttempts: 1 },
    summary: clip(summary, longestSummaryBytes),
  });
}

/** Deletes what a list of a moment ago found to be orphaned: at once or not at all. */
export function listedDeletion(
  provider: string,
  summary: string,
): ActivityInterfaceFor<Pick<DriverActivities, 'deleteListed'>> {
  return proxyActivities<Pick<DriverActivities, 'deleteListed'>>({
    taskQueue: driverQueueOf(workflowInfo().taskQueue, provider, 'delete'),
    scheduleToStartTimeout: '5s',
    startToCloseTimeout: '5m',
    heartbeatTimeout: heartbeatTimeout(),
    retry: { maximumAttempts: 1 },
    summary: clip(summary, longestSummaryBytes),
  });
}

export function drainActivities(summary: string): ActivityInterfaceFor<DrainActivities> {
  return proxyActivities<DrainActivities>({
    taskQueue: drainQueueOf(workflowInfo().taskQueue),
    scheduleToStartTimeout: longestQueueWait,
    startToCloseTimeout: '60s',
    heartbeatTimeout: heartbeatTimeout(),
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
