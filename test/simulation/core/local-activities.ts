/** The local activities of one run: attempts, retries and time limits, as core has them. */
import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import type { Timer } from '../../../activities/system/system.ts';
import { millisecondsOf, partsOf } from '../temporal/durations.ts';
import {
  activityFailure,
  cancelledFailure,
  retryStates,
  timeoutFailure,
} from '../temporal/failures.ts';
import type { TimeoutType } from '../temporal/failures.ts';
import type { ActivityOutcome, Failure, Job, RunInfo } from '../temporal/messages.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { RunningAttempt } from './activity-attempt.ts';
import type { AttemptSpec } from './activity-attempt.ts';
import { localRetryOf } from './local-retries.ts';

export type LocalActivity = coresdk.workflow_commands.IScheduleLocalActivity;
type Resolution = coresdk.activity_result.IActivityResolution;

export interface LocalParts {
  process: SimulatedProcess;
  /** Waits for a slot. */
  start(spec: AttemptSpec): Promise<RunningAttempt>;
}

interface Pending {
  command: LocalActivity;
  scheduledAt: number;
  /** Of the first attempt, also where timers of the workflow were between them. */
  firstScheduledAt: number;
  attempt: number;
  running: RunningAttempt | undefined;
  /** Between two attempts. */
  backoff: Timer | undefined;
  timers: Timer[];
  /** The workflow has seen its end, though it may still run. */
  isResolved: boolean;
}

const { ActivityCancellationType } = proto.coresdk.workflow_commands;
const defaultThresholdMs = 60_000;
/** From its end in the process to the workflow, about. */
const handOverMs = 1;

export class LocalActivities {
  readonly #parts: LocalParts;
  readonly #run: RunInfo;
  readonly #pending = new Map<number, Pending>();
  #ended: Job[] = [];
  #wake: () => void = () => undefined;

  constructor(parts: LocalParts, run: RunInfo) {
    this.#parts = parts;
    this.#run = run;
  }

  /** Some have not been resolved in the workflow, or still run. */
  get areOpen(): boolean {
    return this.#pending.size > 0 || this.#ended.length > 0;
  }

  /** Those that are cancelled by the same commands do not start. */
  add(commands: readonly coresdk.workflow_commands.IWorkflowCommand[]): void {
    const scheduled = commands.flatMap(({ scheduleLocalActivity: it }) => (it ? [it] : []));
    const cancelled = new Set<number>();
    for (const { requestCancelLocalActivity } of commands) {
      if (!requestCancelLocalActivity) continue;
      const seq = requestCancelLocalActivity.seq ?? 0;
      const command = scheduled.find((one) => one.seq === seq);
      cancelled.add(seq);
      if (command) this.#resolve(command, cancelledOf(command, cancelledFailure()));
      else this.#cancel(seq);
    }
    for (const command of scheduled) {
      if (!cancelled.has(command.seq ?? 0)) this.schedule(command);
    }
  }

  schedule(command: LocalActivity): void {
    const { process } = this.#parts;
    const scheduledAt = process.system.now();
    const original = command.originalScheduleTime;
    const firstScheduledAt = original ? millisecondsOf(original) : scheduledAt;
    const pending: Pending = {
      command,
      scheduledAt,
      firstScheduledAt,
      attempt: command.attempt || 1,
      running: undefined,
      backoff: undefined,
      timers: [],
      isResolved: false,
    };
    const longestMs = millisecondsOf(command.scheduleToCloseTimeout);
    const leftMs = longestMs - (scheduledAt - firstScheduledAt);
    if (longestMs > 0 && leftMs <= 0) {
      return this.#resolve(command, timedOutOf(command, timeoutOf('ScheduleToClose')));
    }
    this.#pending.set(command.seq ?? 0, pending);
    // Between two attempts nobody hears it, and it does not ring again.
    if (longestMs > 0) this.#limit(pending, leftMs, 'ScheduleToClose');
    void this.#start(pending);
  }

  /** What has ended since it was asked last; waits for the first until then. */
  async next(longestMs: number): Promise<Job[]> {
    if (this.#ended.length === 0 && longestMs > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = this.#parts.process.after(longestMs, resolve);
      await promise;
      timer.cancel();
    }
    if (this.#ended.length > 0) await this.#handOver();
    return this.#ended.splice(0);
  }

  /** The run is over: those that run hear of it. */
  cancelAll(): void {
    for (const { running } of this.#pending.values()) running?.cancel('CANCELLED');
  }

  /** The run is no longer in the cache: what ends from now on is of no use. */
  drop(): void {
    for (const pending of this.#pending.values()) this.#stopTimers(pending);
    this.#pending.clear();
    this.#ended = [];
  }

  #isKnown(pending: Pending): boolean {
    return this.#pending.get(pending.command.seq ?? 0) === pending;
  }

  #cancel(seq: number): void {
    const pending = this.#pending.get(seq);
    if (!pending || pending.isResolved) return;
    const { cancellationType } = pending.command;
    const { ABANDON, WAIT_CANCELLATION_COMPLETED } = ActivityCancellationType;
    const cancelled = cancelledOf(pending.command, cancelledFailure());
    if (cancellationType !== ABANDON) pending.running?.cancel('CANCELLED');
    if (cancellationType !== WAIT_CANCELLATION_COMPLETED) {
      pending.isResolved = true;
      this.#resolve(pending.command, cancelled);
      if (cancellationType === ABANDON || pending.backoff) this.#forget(pending);
    } else if (pending.backoff) this.#end(pending, cancelled);
    // One that still waits for a slot does not hear of it.
  }

  async #start(pending: Pending): Promise<void> {
    const { process } = this.#parts;
    const { command } = pending;
    const running = await this.#parts.start(this.#specOf(pending));
    if (!this.#isKnown(pending)) return running.cancel('CANCELLED');
    const waitedMs = process.system.now() - pending.scheduledAt;
    const longestMs = scheduleToStartMs(command);
    if (longestMs > 0 && waitedMs > longestMs) {
      running.cancel('TIMED_OUT');
      return this.#end(pending, timedOutOf(command, timeoutOf('ScheduleToStart')));
    }
    pending.running = running;
    this.#limit(pending, startToCloseMs(command), 'StartToClose');
    const outcome = await running.outcome;
    if (pending.running === running) this.#finish(pending, outcome);
  }

  /** What calls nothing takes time as well: a loop of such steps comes forward. */
  #handOver(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#parts.process.after(handOverMs, resolve);
    return promise;
  }

  /** Core leaves that of an attempt which failed running, so that it ends the next one. */
  #limit(pending: Pending, milliseconds: number, type: TimeoutType): void {
    if (milliseconds <= 0) return;
    const timer = this.#parts.process.after(milliseconds, () => {
      const { running } = pending;
      if (!running || !this.#isKnown(pending)) return;
      running.cancel('TIMED_OUT');
      const failed = timeoutOf(type);
      if (type === 'StartToClose') this.#finish(pending, { failed });
      else this.#end(pending, timedOutOf(pending.command, failed));
    });
    pending.timers.push(timer);
  }

  #finish(pending: Pending, outcome: ActivityOutcome): void {
    if (!this.#isKnown(pending)) return;
    const { command, attempt } = pending;
    pending.running = undefined;
    if ('completed' in outcome) {
      return this.#end(pending, { completed: { result: outcome.completed } });
    }
    if ('cancelled' in outcome) return this.#end(pending, cancelledOf(command, outcome.cancelled));
    const failure = outcome.failed;
    const delayMs = localRetryOf(command.retryPolicy, failure, attempt);
    if (delayMs === undefined) return this.#end(pending, failedOf(command, failure));
    const thresholdMs = millisecondsOf(command.localRetryThreshold) || defaultThresholdMs;
    if (delayMs > thresholdMs) return this.#end(pending, backoffOf(pending, delayMs));
    pending.backoff = this.#parts.process.after(delayMs, () => {
      pending.backoff = undefined;
      pending.attempt += 1;
      void this.#start(pending);
    });
  }

  #specOf({ command, scheduledAt, attempt }: Pending): AttemptSpec {
    return {
      run: this.#run,
      activityId: command.activityId ?? '',
      activityType: command.activityType ?? '',
      taskQueue: this.#run.taskQueue,
      isLocal: true,
      args: command.arguments ?? [],
      headers: command.headers ?? {},
      heartbeatDetails: [],
      attempt,
      scheduledAt,
      attemptScheduledAt: scheduledAt,
      startToCloseMs: startToCloseMs(command) || millisecondsOf(command.scheduleToCloseTimeout),
      scheduleToCloseMs: millisecondsOf(command.scheduleToCloseTimeout),
      heartbeatMs: 0,
    };
  }

  #end(pending: Pending, result: Resolution): void {
    if (!pending.isResolved) this.#resolve(pending.command, result);
    this.#forget(pending);
  }

  #forget(pending: Pending): void {
    this.#stopTimers(pending);
    this.#pending.delete(pending.command.seq ?? 0);
    this.#wake();
  }

  #stopTimers({ timers, backoff }: Pending): void {
    backoff?.cancel();
    for (const timer of timers.splice(0)) timer.cancel();
  }

  #resolve({ seq }: LocalActivity, result: Resolution): void {
    this.#ended.push({ resolveActivity: { seq: seq ?? 0, isLocal: true, result } });
    this.#wake();
  }
}

function startToCloseMs(command: LocalActivity): number {
  const allMs = millisecondsOf(command.scheduleToCloseTimeout);
  const oneMs = millisecondsOf(command.startToCloseTimeout);
  return allMs > 0 ? Math.min(oneMs, allMs) : oneMs;
}

function scheduleToStartMs(command: LocalActivity): number {
  const allMs = millisecondsOf(command.scheduleToCloseTimeout);
  const waitMs = millisecondsOf(command.scheduleToStartTimeout);
  return allMs > 0 ? Math.min(waitMs, allMs) : waitMs;
}

function timeoutOf(type: TimeoutType): Failure {
  return { ...timeoutFailure(type, 'Activity timed out'), source: '' };
}

/** Only a timeout is wrapped, as if it had been cancelled. */
function failedOf(command: LocalActivity, failure: Failure): Resolution {
  return failure.timeoutFailureInfo ? timedOutOf(command, failure) : { failed: { failure } };
}

function timedOutOf(command: LocalActivity, failure: Failure): Resolution {
  return { failed: { failure: wrapped('Local Activity timed out', failure, command) } };
}

function cancelledOf(command: LocalActivity, failure: Failure): Resolution {
  return { cancelled: { failure: wrapped('Local Activity cancelled', failure, command) } };
}

/** The SDK waits with a timer of the workflow, and schedules it anew. */
function backoffOf({ attempt, firstScheduledAt }: Pending, delayMs: number): Resolution {
  return {
    backoff: {
      attempt: attempt + 1,
      backoffDuration: partsOf(delayMs),
      originalScheduleTime: partsOf(firstScheduledAt),
    },
  };
}

function wrapped(
  message: string,
  cause: Failure,
  { activityId, activityType }: LocalActivity,
): Failure {
  return activityFailure(message, cause, {
    activityId: activityId ?? '',
    activityType: activityType ?? '',
    identity: '',
    retryState: retryStates.cancelRequested,
  });
}
