/** An activity as the server has it: attempts, timeouts, heartbeats, cancellation. */
import type { coresdk } from '@temporalio/proto';
import type { Timer } from '../../../activities/system/system.ts';
import type { Simulation } from '../engine/simulation.ts';
import { mayRetry, millisecondsOf, retryDelayMs } from './durations.ts';
import { activityFailure, cancelledFailure, retryStates, timeoutFailure } from './failures.ts';
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
  /** Once, at its end: the event that it writes, and what the workflow hears. */
  onEnd(event: string, resolution: Resolution): void;
}

type State = 'scheduled' | 'started' | 'backoff' | 'closed';

export class PendingActivity {
  readonly spec: ActivitySpec;
  readonly scheduledAt: number;
  readonly #world: ActivityWorld;
  #state: State = 'scheduled';
  #attempt = 1;
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
    const { scheduleToCloseMs } = spec;
    if (scheduleToCloseMs > 0) {
      this.#closeTimer = world.simulation.after(scheduleToCloseMs, () =>
        this.#timeOut('ScheduleToClose'),
      );
    }
    this.#schedule();
  }

  /** As `DescribeWorkflowExecution` shows it. */
  get view() {
    return {
      activityId: this.spec.activityId,
      activityType: this.spec.activityType,
      isStarted: this.#state === 'started',
      attempt: this.#attempt,
      nextAttemptAt: this.#nextAttemptAt,
      attemptEndedAt: this.#attemptEndedAt,
      lastIdentity: this.#identity,
      lastFailure: this.#lastFailure,
    };
  }

  isTask(id: number): boolean {
    return this.#state === 'started' && this.#taskId === id;
  }

  /** Throws NOT_FOUND for an attempt that is over. */
  finish(taskId: number, outcome: ActivityOutcome): void {
    this.#require(taskId);
    this.#endAttempt();
    if ('completed' in outcome) {
      this.#close('ACTIVITY_TASK_COMPLETED', { completed: { result: outcome.completed } });
    } else if ('cancelled' in outcome && this.#cancelRequested) {
      this.#closeCancelled(outcome.cancelled);
    } else {
      this.#failAttempt('failed' in outcome ? outcome.failed : outcome.cancelled);
    }
  }

  heartbeat(taskId: number, details: readonly Payload[]): HeartbeatAnswer {
    this.#require(taskId);
    this.#details = details;
    this.#watchHeartbeat();
    return { cancelRequested: this.#cancelRequested, isReset: false, isGone: false };
  }

  /** An attempt that runs hears of it at its next heartbeat; one that waits is over. */
  cancel(): void {
    this.#cancelRequested = true;
    if (this.#state === 'scheduled' || this.#state === 'backoff') {
      this.#endAttempt();
      this.#closeCancelled(cancelledFailure());
    }
  }

  /** Ends the wait for the next attempt. Lost on an attempt that runs. */
  reset(): void {
    if (this.#state !== 'backoff') return;
    this.#attempt = 1;
    this.#endAttempt();
    this.#schedule();
  }

  /** Its workflow is over. */
  drop(): void {
    this.#endAttempt();
    this.#closeTimer?.cancel();
    this.#state = 'closed';
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
    if (this.#state !== 'scheduled' || this.#taskId !== id) return undefined;
    this.#cancelTimers();
    this.#state = 'started';
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
    const failure = timeoutFailure(type, this.#details, this.#lastFailure);
    this.#endAttempt();
    const isFinal = type === 'ScheduleToClose' || type === 'ScheduleToStart';
    if (isFinal) this.#closeTimedOut(failure, retryStates.timeout);
    else this.#failAttempt(failure);
  }

  #failAttempt(failure: Failure): void {
    this.#lastFailure = failure;
    if (this.#cancelRequested) return this.#giveUp(failure, retryStates.cancelRequested);
    const { retryPolicy, scheduleToCloseMs } = this.spec;
    const attempt = this.#attempt;
    const type = failure.applicationFailureInfo?.type ?? '';
    const isRetryable = failure.applicationFailureInfo?.nonRetryable !== true;
    if (!mayRetry(retryPolicy, { attempt, type, isRetryable })) {
      return this.#giveUp(failure, retryStates.nonRetryable);
    }
    const asked = millisecondsOf(failure.applicationFailureInfo?.nextRetryDelay);
    const delayMs = asked || retryDelayMs(retryPolicy, attempt);
    const { simulation } = this.#world;
    const isTooLate =
      scheduleToCloseMs > 0 && simulation.now + delayMs > this.scheduledAt + scheduleToCloseMs;
    if (isTooLate) return this.#giveUp(failure, retryStates.timeout);
    this.#attempt += 1;
    this.#state = 'backoff';
    this.#nextAttemptAt = simulation.now + delayMs;
    this.#timers.push(simulation.after(delayMs, () => this.#schedule()));
  }

  #giveUp(failure: Failure, retryState: number): void {
    if (failure.timeoutFailureInfo) return this.#closeTimedOut(failure, retryState);
    const failed = { failure: this.#wrapped('Activity task failed', failure, retryState) };
    this.#close('ACTIVITY_TASK_FAILED', { failed });
  }

  #closeTimedOut(failure: Failure, retryState: number): void {
    const failed = { failure: this.#wrapped('Activity task timed out', failure, retryState) };
    this.#close('ACTIVITY_TASK_TIMED_OUT', { failed });
  }

  #closeCancelled(failure: Failure): void {
    const { cancelRequested } = retryStates;
    const cancelled = {
      failure: this.#wrapped('Activity task cancelled', failure, cancelRequested),
    };
    this.#close('ACTIVITY_TASK_CANCELED', { cancelled });
  }

  #wrapped(message: string, cause: Failure, retryState: number): Failure {
    const { activityId, activityType } = this.spec;
    const of = { activityId, activityType, identity: this.#identity, retryState };
    return activityFailure(message, cause, of);
  }

  #close(event: string, resolution: Resolution): void {
    if (this.#state === 'closed') return;
    this.drop();
    this.#world.onEnd(event, resolution);
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
