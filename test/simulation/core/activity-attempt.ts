/** Runs one attempt of an activity as the SDK's worker does: context, interceptors, converters. */
import type { Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import {
  ActivityCancellationDetails,
  ApplicationFailure,
  noopMetricMeter,
} from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeFromPayloadsAtIndex,
  encodeErrorToFailure,
  encodeToPayloadsWithContext,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';
import { Activity } from '@temporalio/worker/lib/activity.js';
import type { Payload, ActivityOutcome, RunInfo } from '../temporal/messages.ts';

/** Of a regular activity or of a local one. */
export interface AttemptSpec {
  run: RunInfo;
  activityId: string;
  activityType: string;
  taskQueue: string;
  isLocal: boolean;
  args: readonly Payload[];
  headers: Record<string, Payload>;
  heartbeatDetails: readonly Payload[];
  attempt: number;
  /** Milliseconds since 1970. */
  scheduledAt: number;
  attemptScheduledAt: number;
  /** Milliseconds; 0: none. */
  startToCloseMs: number;
  scheduleToCloseMs: number;
  heartbeatMs: number;
}

export type CancelReason = 'CANCELLED' | 'TIMED_OUT' | 'NOT_FOUND' | 'RESET' | 'WORKER_SHUTDOWN';

export interface RunningAttempt {
  readonly outcome: Promise<ActivityOutcome>;
  cancel(reason: CancelReason): void;
}

export interface AttemptParts {
  activities: NonNullable<WorkerOptions['activities']>;
  interceptors: readonly ActivityInterceptorsFactory[];
  client: Client;
  onHeartbeat(details: readonly Payload[]): void;
}

const converter = loadDataConverter();
const silent = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export function startAttempt(spec: AttemptSpec, parts: AttemptParts): RunningAttempt {
  let activity: Activity | undefined;
  let cancelled: CancelReason | undefined;
  function cancel(reason: CancelReason): void {
    cancelled ??= reason;
    activity?.cancel(reason, detailsOf(reason));
  }
  async function outcome(): Promise<ActivityOutcome> {
    try {
      const input = await inputOf(spec);
      activity = await activityOf(spec, parts);
      if (cancelled) activity.cancel(cancelled, detailsOf(cancelled));
      return outcomeOf(await activity.run(input));
    } catch (error) {
      return { failed: await encodeErrorToFailure(converter, error, contextOf(spec)) };
    }
  }
  return { outcome: outcome(), cancel };
}

async function inputOf({ args, headers, ...spec }: AttemptSpec) {
  const context = contextOf(spec);
  return { args: await decodeArrayFromPayloads(converter, [...args], context), headers };
}

async function activityOf(spec: AttemptSpec, parts: AttemptParts): Promise<Activity> {
  const { activityType } = spec;
  const activities: Record<string, unknown> = { ...parts.activities };
  const fn = activities[activityType];
  if (!isFunction(fn)) {
    const message = `Activity function ${activityType} is not registered on this Worker`;
    throw ApplicationFailure.create({ type: 'NotFoundError', message, nonRetryable: false });
  }
  const context = contextOf(spec);
  async function heartbeat(details: unknown): Promise<void> {
    parts.onHeartbeat((await encodeToPayloadsWithContext(converter, context, [details])) ?? []);
  }
  return new Activity(
    await infoOf(spec),
    fn,
    converter,
    context,
    undefined,
    (details) => void heartbeat(details),
    parts.client,
    silent,
    noopMetricMeter,
    [...parts.interceptors],
  );
}

function isFunction(value: unknown): value is (...args: unknown[]) => Promise<unknown> {
  return typeof value === 'function';
}

function contextOf({
  run,
  isLocal,
  activityType,
  activityId,
}: Pick<AttemptSpec, 'run' | 'isLocal' | 'activityType' | 'activityId'>) {
  const { namespace, workflowId, workflowType } = run;
  return {
    type: 'activity' as const,
    namespace,
    activityId,
    activityType,
    workflowId,
    workflowType,
    isLocal,
  };
}

async function infoOf(spec: AttemptSpec): Promise<Info> {
  const { run, activityId, activityType, taskQueue, isLocal, attempt } = spec;
  const token = `${run.runId}/${activityId}/${attempt}`;
  return {
    taskToken: new TextEncoder().encode(token),
    base64TaskToken: token,
    activityId,
    activityType,
    taskQueue,
    isLocal,
    attempt,
    inWorkflow: true,
    workflowExecution: { workflowId: run.workflowId, runId: run.runId },
    workflowType: run.workflowType,
    workflowNamespace: run.namespace,
    activityNamespace: run.namespace,
    namespace: run.namespace,
    ...(spec.heartbeatMs > 0 && { heartbeatTimeoutMs: spec.heartbeatMs }),
    heartbeatDetails: await decodeFromPayloadsAtIndex(
      converter,
      0,
      [...spec.heartbeatDetails],
      contextOf(spec),
    ),
    scheduledTimestampMs: spec.scheduledAt,
    currentAttemptScheduledTimestampMs: spec.attemptScheduledAt,
    startToCloseTimeoutMs: spec.startToCloseMs,
    scheduleToCloseTimeoutMs: spec.scheduleToCloseMs,
    priority: {},
  };
}

function outcomeOf({
  completed,
  failed,
  cancelled,
}: Awaited<ReturnType<Activity['run']>>): ActivityOutcome {
  if (completed) return { completed: completed.result ?? {} };
  return cancelled ? { cancelled: cancelled.failure ?? {} } : { failed: failed?.failure ?? {} };
}

function detailsOf(reason: CancelReason): ActivityCancellationDetails {
  return ActivityCancellationDetails.fromProto({
    isCancelled: reason === 'CANCELLED',
    isNotFound: reason === 'NOT_FOUND',
    isTimedOut: reason === 'TIMED_OUT',
    isReset: reason === 'RESET',
    isWorkerShutdown: reason === 'WORKER_SHUTDOWN',
  });
}
