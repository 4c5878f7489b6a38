/** An activity as the server has it: attempts, timeouts, heartbeats, cancellation. */
import type { coresdk } from '@temporalio/proto';
import type { Simulation } from '../engine/simulation.ts';
import {
  activityFailure,
  cancelledActivity,
  detailsOf,
  isTimeout,
  retryStates,
  timeoutFailure,
  withDetails,
} from './failures.ts';
import type { TimeoutType } from './failures.ts';
import { GrpcError } from './grpc-errors.ts';
import type {
  ActivityOutcome,
  ActivityTask,
  Failure,
  HeartbeatAnswer,
  Payload,
  RetryPolicy,
  RunInfo,
} from './messages.ts';
import { retryOf } from './retries.ts';
import type { ServerTimer, ServerTimers } from './server-timers.ts';
import type { TaskQueue } from './task-queue.ts';
import { identityOf } from './workers.ts';

export type Resolution = coresdk.activity_result.IActivityResolution;

export interface ActivitySpec {
  activityId: string;
  activityType: string;
  taskQueue: string;
  args: readonly Payload[];
  headers: Record<string, Payload>;
  /** Milliseconds; 0: none. */
  scheduleToCloseMs: number;
  scheduleToStartMs: number;
  startToCloseMs: number;
  heartbeatMs: number;
  retryPolicy: RetryPolicy | undefined;
}

export interface ActivityWorld {
  simulation: Simulation;
  serverTimers: ServerTimers;
  queue: TaskQueue<ActivityTask>;
  run: RunInfo;
  nextTaskId(): number;
  /** Once. */
  onEnd(end: ActivityEnd): void;
}

export interface ActivityEnd {
  /** That it writes. */
  event: string;
  /** What the workflow hears. */
  result: Resolution;
  /** Its last attempt has begun, which the history says only now. */
  wasStarted: boolean;
}

type State = 'scheduled' | 'started' | 'backoff';

/** What the server writes down of it. */
interface Progress {
  readonly scheduledAt: number;
  state: State;
  attempt: number;
  /** That of the attempt that runs; another one after a reset. */
  startedAttempt: number;
  isReset: boolean;
  taskId: number;
  attemptScheduledAt: number;
  nextAttemptAt: number | undefined;
  attemptEndedAt: number | undefined;
  identity: string;
  details: readonly Payload[];
  lastFailure: Failure | undefined;
  cancelRequested: boolean;
}

/** An activity as it is at one moment. */
export interface SavedActivity {
  spec: ActivitySpec;
  progress: Readonly<Progress>;
  /** Of the timers that run. */
  dueAt: number | undefined;
  heartbeatDueAt: number | undefined;
}

function beginningAt(now: number): Progress {
  return {
    scheduledAt: now,
    state: 'scheduled',
    attempt: 1,
    startedAttempt: 1,
    isReset: false,
    taskId: 0,
    attemptScheduledAt: now,
    nextAttemptAt: undefined,
    attemptEndedAt: undefined,
    identity: '',
    details: [],
    lastFailure: undefined,
    cancelRequested: false,
  };
}

/** What an attempt says at its end. */
export interface AttemptReport {
  outcome: ActivityOutcome;
  /** Of its last heartbeat; only a failure brings them along. */
  details: readonly Payload[] | undefined;
}

/** `temporal.api.enums.v1.PendingActivityState`. */
const pendingStates = { scheduled: 1, started: 2, cancelRequested: 3 };
const notEnoughTime =
  'Not enough time to schedule next retry before activity ScheduleToClose timeout, giving up retrying';

export class PendingActivity {
  readonly spec: ActivitySpec;
  readonly #world: ActivityWorld;
  readonly #is: Progress;
  #isOver = false;
  /** Of its state: it is taken, ends or begins again in time. */
  #timer: ServerTimer | undefined;
  #heartbeatTimer: ServerTimer | undefined;
  #closeTimer: ServerTimer | undefined;

  /** `saved`: it goes on from there. */
  constructor(world: ActivityWorld, spec: ActivitySpec, saved?: SavedActivity) {
    this.#world = world;
    this.spec = spec;
    this.#is = saved ? { ...saved.progress } : beginningAt(world.simulation.now);
    if (saved) this.#resume(saved);
    else this.#schedule();
    // After that for a worker, which is as long and comes first.
    const passedMs = world.simulation.now - this.#is.scheduledAt;
    const { scheduleToCloseMs } = spec;
    if (scheduleToCloseMs > 0) {
      this.#closeTimer = world.serverTimers.after(scheduleToCloseMs - passedMs, () =>
        this.#timeOut('ScheduleToClose'),
      );
    }
  }

  save(): SavedActivity {
    return {
      spec: this.spec,
      progress: { ...this.#is },
      dueAt: this.#timer?.at,
      heartbeatDueAt: this.#heartbeatTimer?.at,
    };
  }

  /** As `DescribeWorkflowExecution` shows it. */
  get view() {
    return {
      activityId: this.spec.activityId,
      activityType: this.spec.activityType,
      state: this.#pendingState,
      attempt: this.#is.attempt,
      details: this.#is.details,
      nextAttemptAt: this.#is.nextAttemptAt,
      attemptEndedAt: this.#is.attemptEndedAt,
      lastIdentity: this.#is.identity,
      lastFailure: this.#is.lastFailure,
    };
  }

  get #pendingState(): number {
    if (this.#is.cancelRequested) return pendingStates.cancelRequested;
    return this.#is.state === 'started' ? pendingStates.started : pendingStates.scheduled;
  }

  /** After a reset the server does not know a later attempt than the first any more. */
  isTask(id: number): boolean {
    const isRunning = this.#is.state === 'started' && this.#is.taskId === id;
    return isRunning && this.#is.startedAttempt === this.#is.attempt;
  }

  /** Throws NOT_FOUND for an attempt that is over. */
  finish(taskId: number, { outcome, details }: AttemptReport): void {
    this.#require(taskId);
    if ('cancelled' in outcome && !this.#is.cancelRequested) {
      const text = 'unable to mark activity as canceled without activity being request canceled';
      throw new GrpcError('INVALID_ARGUMENT', `${text} first`);
    }
    this.#endAttempt();
    if ('completed' in outcome) {
      this.#close('ACTIVITY_TASK_COMPLETED', { completed: { result: outcome.completed } });
    } else if ('cancelled' in outcome) {
      this.#closeCancelled(detailsOf(outcome.cancelled), this.#is.identity);
    } else {
      if (details) this.#is.details = details;
      this.#failAttempt(outcome.failed);
    }
  }

  heartbeat(taskId: number, details: readonly Payload[]): HeartbeatAnswer {
    this.#require(taskId);
    this.#is.details = details;
    this.#watchHeartbeat();
    return { cancelRequested: this.#is.cancelRequested, isReset: this.#is.isReset, isGone: false };
  }

  /**
   * An attempt that runs hears of it at its next heartbeat; one that waits is over.
   *
   * @param identity Of the worker that completed the workflow task.
   */
  cancel(identity: string): void {
    this.#is.cancelRequested = true;
    if (this.#is.state === 'scheduled' || this.#is.state === 'backoff') {
      this.#endAttempt();
      this.#closeCancelled([], identity);
    }
  }

  /** It was cancelled before its run was reset: an attempt hears of it. */
  askToEnd(): void {
    this.#is.cancelRequested = true;
  }

  /**
   * Ends the wait for the next attempt. A first attempt that runs hears of it; a later one goes on,
   * and the server takes nothing from it any more.
   */
  reset(): void {
    this.#is.attempt = 1;
    this.#is.isReset = true;
    if (this.#is.state === 'started' || this.#is.cancelRequested) return;
    this.#is.isReset = false;
    this.#is.lastFailure = undefined;
    this.#endAttempt();
    this.#is.state = 'backoff';
    this.#is.nextAttemptAt = undefined;
    this.#timer = this.#world.serverTimers.after(0, () => this.#schedule());
  }

  /** Its workflow is over. */
  drop(): void {
    this.#isOver = true;
    this.#is.taskId = 0;
    this.#cancelTimers();
    this.#closeTimer?.cancel();
  }

  #require(taskId: number): void {
    if (!this.isTask(taskId)) {
      throw new GrpcError(
        'NOT_FOUND',
        'invalid activityID or activity already timed out or invoking workflow is completed',
      );
    }
  }

  #resume({ dueAt, heartbeatDueAt }: SavedActivity): void {
    const { serverTimers } = this.#world;
    const { state } = this.#is;
    if (state === 'scheduled') this.#offer();
    // A worker may have taken it at once.
    if (this.#is.state !== state) return;
    if (dueAt !== undefined) this.#timer = serverTimers.at(dueAt, () => this.#afterWait(state));
    if (heartbeatDueAt === undefined) return;
    this.#heartbeatTimer = serverTimers.at(heartbeatDueAt, () => this.#timeOut('Heartbeat'));
  }

  #afterWait(state: State): void {
    if (state === 'backoff') this.#schedule();
    else this.#timeOut(state === 'started' ? 'StartToClose' : 'ScheduleToStart');
  }

  #schedule(): void {
    const { simulation } = this.#world;
    // It has rung: a copy of the database must not hold it.
    this.#timer = undefined;
    this.#is.state = 'scheduled';
    this.#is.nextAttemptAt = undefined;
    this.#is.attemptScheduledAt = simulation.now;
    this.#is.taskId = this.#world.nextTaskId();
    this.#offer();
    if (this.#is.state === 'scheduled') this.#limit(this.spec.scheduleToStartMs, 'ScheduleToStart');
  }

  #offer(): void {
    const id = this.#is.taskId;
    this.#world.queue.add({ take: (worker) => this.#start(id, worker) });
  }

  #start(id: number, worker: string): ActivityTask | undefined {
    if (this.#isOver || this.#is.state !== 'scheduled' || this.#is.taskId !== id) return undefined;
    this.#cancelTimers();
    this.#is.state = 'started';
    this.#is.startedAttempt = this.#is.attempt;
    this.#is.identity = identityOf(worker);
    this.#limit(this.spec.startToCloseMs, 'StartToClose');
    this.#watchHeartbeat();
    const { simulation, run } = this.#world;
    return {
      ...this.spec,
      id,
      run,
      heartbeatDetails: this.#is.details,
      attempt: this.#is.attempt,
      scheduledAt: this.#is.scheduledAt,
      attemptScheduledAt: this.#is.attemptScheduledAt,
      startedAt: simulation.now,
    };
  }

  #limit(milliseconds: number, type: TimeoutType): void {
    if (milliseconds <= 0) return;
    this.#timer = this.#world.serverTimers.after(milliseconds, () => this.#timeOut(type));
  }

  #watchHeartbeat(): void {
    const { heartbeatMs } = this.spec;
    this.#heartbeatTimer?.cancel();
    if (heartbeatMs <= 0) return;
    this.#heartbeatTimer = this.#world.serverTimers.after(heartbeatMs, () =>
      this.#timeOut('Heartbeat'),
    );
  }

  #timeOut(type: TimeoutType): void {
    this.#endAttempt();
    this.#failAttempt(timeoutFailure(type));
  }

  #failAttempt(failure: Failure): void {
    if (this.#is.cancelRequested) return this.#giveUp(failure, retryStates.cancelRequested);
    const { retryPolicy, scheduleToCloseMs } = this.spec;
    const { simulation, serverTimers } = this.#world;
    const leftMs =
      scheduleToCloseMs > 0 ? this.#is.scheduledAt + scheduleToCloseMs - simulation.now : undefined;
    const decision = retryOf(retryPolicy, { failure, attempt: this.#is.attempt, leftMs });
    if ('retryState' in decision) return this.#giveUp(failure, decision.retryState);
    this.#is.lastFailure = failure;
    this.#is.attempt += 1;
    this.#is.isReset = false;
    this.#is.state = 'backoff';
    this.#is.nextAttemptAt = simulation.now + decision.delayMs;
    this.#timer = serverTimers.after(decision.delayMs, () => this.#schedule());
  }

  #giveUp(failure: Failure, retryState: number): void {
    if (failure.timeoutFailureInfo) return this.#closeTimedOut(failure, retryState);
    const message = 'Activity task failed';
    const of = { identity: this.#is.identity, retryState };
    this.#close('ACTIVITY_TASK_FAILED', {
      failed: { failure: this.#wrapped(message, failure, of) },
    });
  }

  /** Where no time is left for another attempt, that is what timed out. */
  #closeTimedOut(failure: Failure, retryState: number): void {
    const isAboutRetry =
      retryState === retryStates.timeout && !isTimeout(failure, 'ScheduleToStart');
    const shown = isAboutRetry ? timeoutFailure('ScheduleToClose', notEnoughTime) : failure;
    const before = this.#is.lastFailure && { cause: this.#is.lastFailure };
    const cause = { ...withDetails(shown, this.#is.details), ...before };
    const of = { identity: '', retryState };
    const failed = { failure: this.#wrapped('Activity task timed out', cause, of) };
    this.#close('ACTIVITY_TASK_TIMED_OUT', { failed });
  }

  #closeCancelled(details: readonly Payload[], identity: string): void {
    const { activityId, activityType } = this.spec;
    const failure = cancelledActivity(details, { activityId, activityType, identity });
    this.#close('ACTIVITY_TASK_CANCELED', { cancelled: { failure } });
  }

  #wrapped(message: string, cause: Failure, of: { identity: string; retryState: number }): Failure {
    const { activityId, activityType } = this.spec;
    return activityFailure(message, cause, { activityId, activityType, ...of });
  }

  #close(event: string, result: Resolution): void {
    if (this.#isOver) return;
    const wasStarted = this.#is.state === 'started';
    this.drop();
    this.#world.onEnd({ event, result, wasStarted });
  }

  #endAttempt(): void {
    if (this.#is.state === 'started') this.#is.attemptEndedAt = this.#world.simulation.now;
    this.#is.taskId = 0;
    this.#cancelTimers();
  }

  #cancelTimers(): void {
    this.#timer?.cancel();
    this.#heartbeatTimer?.cancel();
    this.#timer = undefined;
    this.#heartbeatTimer = undefined;
  }
}
