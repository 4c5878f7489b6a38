/** Polls for activity tasks, and runs them with heartbeats, cancellation and time limits. */
import type { SimulatedProcess } from '../engine/process.ts';
import { GrpcError } from '../temporal/grpc-errors.ts';
import type { ActivityTask, Payload, WorkerLine } from '../temporal/messages.ts';
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
    const { process, line, attempt } = this.#parts;
    const heartbeats = new Heartbeats(this.#parts, task);
    const parts = {
      ...attempt,
      onHeartbeat: (details: readonly Payload[]) => heartbeats.record(details),
    };
    const running = startAttempt(specOf(task), parts);
    heartbeats.onCancel(running.cancel);
    this.#running.add(running);
    const limitMs = task.startToCloseMs + localTimeoutBufferMs;
    const timer = process.after(limitMs, () => running.cancel('TIMED_OUT'));
    const outcome = await running.outcome;
    timer.cancel();
    this.#running.delete(running);
    await heartbeats.close();
    try {
      await line.completeActivity(task, outcome);
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
    }
  }
}

/** Sends the newest details, at most once in the throttle's time. */
class Heartbeats {
  readonly #parts: ActivityWorkerParts;
  readonly #task: ActivityTask;
  #cancel: (reason: CancelReason) => void = () => undefined;
  #waiting: readonly Payload[] | undefined;
  #isThrottled = false;
  #isClosed = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(parts: ActivityWorkerParts, task: ActivityTask) {
    this.#parts = parts;
    this.#task = task;
  }

  onCancel(cancel: (reason: CancelReason) => void): void {
    this.#cancel = cancel;
  }

  record(details: readonly Payload[]): void {
    this.#waiting = details;
    if (!this.#isThrottled) this.#send();
  }

  /** The last details are of use to the next attempt. */
  async close(): Promise<void> {
    if (this.#waiting) this.#send();
    this.#isClosed = true;
    await this.#sending;
  }

  #send(): void {
    const details = this.#waiting;
    if (!details || this.#isClosed) return;
    this.#waiting = undefined;
    this.#isThrottled = true;
    this.#sending = this.#answered(details);
    this.#parts.process.after(this.#parts.heartbeatThrottleMs, () => {
      this.#isThrottled = false;
      this.#send();
    });
  }

  async #answered(details: readonly Payload[]): Promise<void> {
    try {
      const answer = await this.#parts.line.heartbeat(this.#task, details);
      if (answer.isGone) this.#cancel('NOT_FOUND');
      else if (answer.isReset) this.#cancel('RESET');
      else if (answer.cancelRequested) this.#cancel('CANCELLED');
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
