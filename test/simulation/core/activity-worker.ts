/** Polls for activity tasks, and runs them with heartbeats, cancellation and time limits. */
import type { Timer } from '../../../activities/system/system.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import { GrpcError } from '../temporal/grpc-errors.ts';
import type {
  ActivityOutcome,
  ActivityTask,
  Failure,
  Payload,
  WorkerLine,
} from '../temporal/messages.ts';
import type { CancelReason, RunningAttempt } from './activity-attempt.ts';
import type { AttemptParts, AttemptSpec } from './activity-attempt.ts';
import { startAttempt } from './activity-attempt.ts';
import { Slots } from './slots.ts';

export interface ActivityWorkerParts {
  process: SimulatedProcess;
  line: WorkerLine;
  taskQueue: string;
  tasksMax: number;
  /** At most one in this time is sent, milliseconds. */
  heartbeatThrottleMs: number;
  attempt: Omit<AttemptParts, 'onHeartbeat'>;
}

/** How long after its time limit an attempt is cancelled by its own worker, milliseconds. */
const localTimeoutBufferMs = 5_000;
const pollers = 5;

export class ActivityWorker {
  readonly #parts: ActivityWorkerParts;
  readonly #slots: Slots;
  readonly #running = new Set<RunningAttempt>();
  #isStopping = false;
  #isOver = false;

  constructor(parts: ActivityWorkerParts) {
    this.#parts = parts;
    this.#slots = new Slots(parts.tasksMax);
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: pollers }, () => this.#poll()));
  }

  stop(): void {
    this.#isStopping = true;
  }

  /** For those that still run when the time for an orderly end is over. */
  cancelAll(): void {
    this.#isOver = true;
    for (const attempt of this.#running) attempt.cancel('WORKER_SHUTDOWN');
  }

  async #poll(): Promise<void> {
    const { line, taskQueue } = this.#parts;
    const tasks = new Set<Promise<void>>();
    while (!this.#isStopping) {
      await this.#slots.take();
      const task = await line.pollActivityTask(taskQueue);
      if (!task) {
        this.#slots.free();
        break;
      }
      const handled = this.#handle(task).finally(() => {
        this.#slots.free();
        tasks.delete(handled);
      });
      tasks.add(handled);
    }
    await Promise.all(tasks);
  }

  async #handle(task: ActivityTask): Promise<void> {
    const { process, attempt } = this.#parts;
    const heartbeats = new Heartbeats(this.#parts, task);
    const parts = {
      ...attempt,
      onHeartbeat: (details: readonly Payload[]) => heartbeats.record(details),
    };
    const running = startAttempt(specOf(task), parts);
    heartbeats.onCancel((reason) => {
      if (this.#running.has(running)) running.cancel(reason);
    });
    this.#running.add(running);
    const limitMs = task.startToCloseMs + localTimeoutBufferMs;
    const timer = process.after(limitMs, () => running.cancel('TIMED_OUT'));
    const outcome = await running.outcome;
    timer.cancel();
    this.#running.delete(running);
    await heartbeats.close('cancelled' in outcome && !this.#isOver);
    try {
      if (!heartbeats.isGone) await this.#report(task, outcome, heartbeats.last);
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
    }
  }

  /** What was cancelled because the process ends is a failure, so that another one tries again. */
  async #report(
    task: ActivityTask,
    outcome: ActivityOutcome,
    details: readonly Payload[] | undefined,
  ): Promise<void> {
    const { line } = this.#parts;
    const shown =
      this.#isOver && 'cancelled' in outcome ? { failed: workerShutdownFailure } : outcome;
    await line.completeActivity(task, shown, details);
  }
}

const workerShutdownFailure: Failure = {
  message: 'Worker is shutting down and this activity did not complete in time',
  applicationFailureInfo: { type: 'WorkerShutdown', nonRetryable: false },
};

/** Sends the newest details, at most once in the throttle's time. */
class Heartbeats {
  readonly #parts: ActivityWorkerParts;
  readonly #task: ActivityTask;
  #cancel: (reason: CancelReason) => void = () => undefined;
  #waiting: readonly Payload[] | undefined;
  #last: readonly Payload[] | undefined;
  #isThrottled = false;
  #isClosed = false;
  #isGone = false;
  #sending: Promise<void> = Promise.resolve();
  #silence: Timer | undefined;

  constructor(parts: ActivityWorkerParts, task: ActivityTask) {
    this.#parts = parts;
    this.#task = task;
    this.#watchSilence();
  }

  /** The server does not know the attempt any more. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Also those that were never sent. */
  get last(): readonly Payload[] | undefined {
    return this.#last;
  }

  onCancel(cancel: (reason: CancelReason) => void): void {
    this.#cancel = cancel;
  }

  record(details: readonly Payload[]): void {
    this.#last = details;
    this.#waiting = details;
    this.#watchSilence();
    if (!this.#isThrottled) this.#send();
  }

  /** `isFlushed`: what was held back is sent; a failure brings it along. */
  async close(isFlushed: boolean): Promise<void> {
    this.#silence?.cancel();
    if (isFlushed && this.#waiting) this.#send();
    this.#isClosed = true;
    await this.#sending;
  }

  /** An attempt that gives no sign of life is cancelled here too, some time later. */
  #watchSilence(): void {
    const { heartbeatMs } = this.#task;
    this.#silence?.cancel();
    if (heartbeatMs <= 0 || this.#isClosed) return;
    this.#silence = this.#parts.process.after(heartbeatMs + localTimeoutBufferMs, () =>
      this.#cancel('TIMED_OUT'),
    );
  }

  get #throttleMs(): number {
    const { heartbeatThrottleMs } = this.#parts;
    const { heartbeatMs } = this.#task;
    return heartbeatMs > 0 ? Math.min(heartbeatMs * 0.8, heartbeatThrottleMs) : heartbeatThrottleMs;
  }

  #send(): void {
    const details = this.#waiting;
    if (!details || this.#isClosed) return;
    this.#waiting = undefined;
    this.#isThrottled = true;
    this.#sending = this.#answered(details);
    this.#parts.process.after(this.#throttleMs, () => {
      this.#isThrottled = false;
      this.#send();
    });
  }

  async #answered(details: readonly Payload[]): Promise<void> {
    try {
      const answer = await this.#parts.line.heartbeat(this.#task, details);
      if (answer.isGone) {
        this.#isGone = true;
        this.#cancel('NOT_FOUND');
      } else if (answer.cancelRequested) this.#cancel('CANCELLED');
      else if (answer.isReset) this.#cancel('RESET');
    } catch (error) {
      // The next one may arrive; without any the server ends the attempt.
      if (!(error instanceof Error)) throw error;
    }
  }
}

function specOf(task: ActivityTask): AttemptSpec {
  const { run, activityId, activityType, taskQueue, args, headers, heartbeatDetails } = task;
  const { attempt, scheduledAt, attemptScheduledAt } = task;
  const { startToCloseMs, scheduleToCloseMs, heartbeatMs } = task;
  return {
    run,
    activityId,
    activityType,
    taskQueue,
    isLocal: false,
    args,
    headers,
    heartbeatDetails,
    attempt,
    scheduledAt,
    attemptScheduledAt,
    startToCloseMs,
    scheduleToCloseMs,
    heartbeatMs,
  };
}
