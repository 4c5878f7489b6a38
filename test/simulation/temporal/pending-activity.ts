/** An activity as the server has it: attempts, timeouts, heartbeats, cancellation. */
import type { coresdk } from '@temporalio/proto';
import type { Timer } from '../../../activities/system/system.ts';
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
  readonly scheduledAt: number;
  readonly #world: ActivityWorld;
  #state: State = 'scheduled';
  #attempt = 1;
  /** That of the attempt that runs; another one after a reset. */
  #startedAttempt = 1;
  #isReset = false;
  #isOver = false;
  #taskId = 0;
  #attemptScheduledAt: number;
  #nextAttemptAt: number | undefined;
  #attemptEndedAt: number | undefined;
  #identity = '';
  #details: readonly Payload[] = [];
  #lastFailure: Failure | undefined;
  #cancelRequested = false;
  #timers: Timer[] = [];
  #heartbeatTimer: Timer | undefined;
  #closeTimer: Timer | undefined;

  constructor(world: ActivityWorld, spec: ActivitySpec) {
    this.#world = world;
    this.spec = spec;
    this.scheduledAt = world.simulation.now;
    this.#attemptScheduledAt = this.scheduledAt;
    this.#schedule();
    // After that for a worker, which is as long and comes first.
    const { scheduleToCloseMs } = spec;
    if (scheduleToCloseMs > 0) {
      this.#closeTimer = world.simulation.after(scheduleToCloseMs, () =>
        this.#timeOut('ScheduleToClose'),
      );
    }
  }

  /** As `DescribeWorkflowExecution` shows it. */
  get view() {
    return {
      activityId: this.spec.activityId,
      activityType: this.spec.activityType,
      state: this.#pendingState,
      attempt: this.#attempt,
      details: this.#details,
      nextAttemptAt: this.#nextAttemptAt,
      attemptEndedAt: this.#attemptEndedAt,
      lastIdentity: this.#identity,
      lastFailure: this.#lastFailure,
    };
  }

  get #pendingState(): number {
    if (this.#cancelRequested) return pendingStates.cancelRequested;
    return this.#state === 'started' ? pendingStates.started : pendingStates.scheduled;
  }

  /** After a reset the server does not know a later attempt than the first any more. */
  isTask(id: number): boolean {
    const isRunning = this.#state === 'started' && this.#taskId === id;
    return isRunning && this.#startedAttempt === this.#attempt;
  }

  /** Throws NOT_FOUND for an attempt that is over. */
  finish(taskId: number, { outcome, details }: AttemptReport): void {
    this.#require(taskId);
    if ('cancelled' in outcome && !this.#cancelRequested) {
      const text = 'unable to mark activity as canceled without activity being request canceled';
      throw new GrpcError('INVALID_ARGUMENT', `${text} first`);
    }
    this.#endAttempt();
    if ('completed' in outcome) {
      this.#close('ACTIVITY_TASK_COMPLETED', { completed: { result: outcome.completed } });
    } else if ('cancelled' in outcome) {
      this.#closeCancelled(detailsOf(outcome.cancelled), this.#identity);
    } else {
      if (details) this.#details = details;
      this.#failAttempt(outcome.failed);
    }
  }

  heartbeat(taskId: number, details: readonly Payload[]): HeartbeatAnswer {
    this.#require(taskId);
    this.#details = details;
    this.#watchHeartbeat();
    return { cancelRequested: this.#cancelRequested, isReset: this.#isReset, isGone: false };
  }

  /**
   * An attempt that runs hears of it at its next heartbeat; one that waits is over.
   *
   * @param identity Of the worker that completed the workflow task.
   */
  cancel(identity: string): void {
    this.#cancelRequested = true;
    if (this.#state === 'scheduled' || this.#state === 'backoff') {
      this.#endAttempt();
      this.#closeCancelled([], identity);
    }
  }

  /**
   * Ends the wait for the next attempt. A first attempt that runs hears of it; a later one goes on,
   * and the server takes nothing from it any more.
   */
  reset(): void {
    this.#attempt = 1;
    this.#isReset = true;
    if (this.#state === 'started' || this.#cancelRequested) return;
    this.#isReset = false;
    this.#lastFailure = undefined;
    this.#endAttempt();
    this.#schedule();
  }

  /** Its workflow is over. */
  drop(): void {
    this.#isOver = true;
    this.#taskId = 0;
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

  #schedule(): void {
    const { simulation, queue } = this.#world;
    this.#state = 'scheduled';
    this.#nextAttemptAt = undefined;
    this.#attemptScheduledAt = simulation.now;
    this.#taskId = this.#world.nextTaskId();
    const id = this.#taskId;
    queue.add({ take: (worker) => this.#start(id, worker) });
    if (this.#state === 'scheduled') this.#limit(this.spec.scheduleToStartMs, 'ScheduleToStart');
  }

  #start(id: number, worker: string): ActivityTask | undefined {
    if (this.#isOver || this.#state !== 'scheduled' || this.#taskId !== id) return undefined;
    this.#cancelTimers();
    this.#state = 'started';
    this.#startedAttempt = this.#attempt;
    this.#identity = identityOf(worker);
    this.#limit(this.spec.startToCloseMs, 'StartToClose');
    this.#watchHeartbeat();
    const { simulation, run } = this.#world;
    return {
      ...this.spec,
      id,
      run,
      heartbeatDetails: this.#details,
      attempt: this.#attempt,
      scheduledAt: this.scheduledAt,
      attemptScheduledAt: this.#attemptScheduledAt,
      startedAt: simulation.now,
    };
  }

  #limit(milliseconds: number, type: TimeoutType): void {
    if (milliseconds <= 0) return;
    this.#timers.push(this.#world.simulation.after(milliseconds, () => this.#timeOut(type)));
  }

  #watchHeartbeat(): void {
    const { heartbeatMs } = this.spec;
    this.#heartbeatTimer?.cancel();
    if (heartbeatMs <= 0) return;
    this.#heartbeatTimer = this.#world.simulation.after(heartbeatMs, () =>
      this.#timeOut('Heartbeat'),
    );
  }

  #timeOut(type: TimeoutType): void {
    this.#endAttempt();
    this.#failAttempt(timeoutFailure(type));
  }

  #failAttempt(failure: Failure): void {
    if (this.#cancelRequested) return this.#giveUp(failure, retryStates.cancelRequested);
    const { retryPolicy, scheduleToCloseMs } = this.spec;
    const { simulation } = this.#world;
    const leftMs =
      scheduleToCloseMs > 0 ? this.scheduledAt + scheduleToCloseMs - simulation.now : undefined;
    const decision = retryOf(retryPolicy, { failure, attempt: this.#attempt, leftMs });
    if ('retryState' in decision) return this.#giveUp(failure, decision.retryState);
    this.#lastFailure = failure;
    this.#attempt += 1;
    this.#isReset = false;
    this.#state = 'backoff';
    this.#nextAttemptAt = simulation.now + decision.delayMs;
    this.#timers.push(simulation.after(decision.delayMs, () => this.#schedule()));
  }

  #giveUp(failure: Failure, retryState: number): void {
    if (failure.timeoutFailureInfo) return this.#closeTimedOut(failure, retryState);
    const message = 'Activity task failed';
    const of = { identity: this.#identity, retryState };
    this.#close('ACTIVITY_TASK_FAILED', { failed: { failure: this.#wrapped(message, failure, of) } });
  }

  /** Where no time is left for another attempt, that is what timed out. */
  #closeTimedOut(failure: Failure, retryState: number): void {
    const isAboutRetry =
      retryState === retryStates.timeout && !isTimeout(failure, 'ScheduleToStart');
    const shown = isAboutRetry ? timeoutFailure('ScheduleToClose', notEnoughTime) : failure;
    const before = this.#lastFailure && { cause: this.#lastFailure };
    const cause = { ...withDetails(shown, this.#details), ...before };
    const of = { identity: '', retryState };
    const failed = { failure: this.#wrapped('Activity task timed out', cause, of) };
    this.#close('ACTIVITY_TASK_TIMED_OUT', { failed });
  }

  #closeCancelled(details: readonly Payload[], identity: string): void {
    const { activityId, activityType } = this.spec;
    const failure = cancelledActivity(details, { activityId, activityType, identity });
    this.#close('ACTIVITY_TASK_CANCELED', { cancelled: { failure } });
  }

  #wrapped(
    message: string,
    cause: Failure,
    of: { identity: string; retryState: number },
  ): Failure {
    const { activityId, activityType } = this.spec;
    return activityFailure(message, cause, { activityId, activityType, ...of });
  }

  #close(event: string, result: Resolution): void {
    if (this.#isOver) return;
    const wasStarted = this.#state === 'started';
    this.drop();
    this.#world.onEnd({ event, result, wasStarted });
  }

  #endAttempt(): void {
    if (this.#state === 'started') this.#attemptEndedAt = this.#world.simulation.now;
    this.#taskId = 0;
    this.#cancelTimers();
  }

  #cancelTimers(): void {
    for (const timer of this.#timers.splice(0)) timer.cancel();
    this.#heartbeatTimer?.cancel();
  }
}
