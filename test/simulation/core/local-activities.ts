/** The local activities of one run: attempts, retries and time limits, as core has them. */
import type { coresdk } from '@temporalio/proto';
import { mayRetry, millisecondsOf, retryDelayMs } from '../temporal/durations.ts';
import {
  activityFailure,
  cancelledFailure,
  retryStates,
  timeoutFailure,
} from '../temporal/failures.ts';
import type { ActivityOutcome, Failure, Job, RunInfo } from '../temporal/messages.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { RunningAttempt } from './activity-attempt.ts';
import type { AttemptSpec } from './activity-attempt.ts';

export type LocalActivity = coresdk.workflow_commands.IScheduleLocalActivity;

export interface LocalParts {
  process: SimulatedProcess;
  /** Waits for a slot. */
  start(spec: AttemptSpec): Promise<RunningAttempt>;
}

interface Pending {
  command: LocalActivity;
  scheduledAt: number;
  running: RunningAttempt | undefined;
  isCancelled: boolean;
  isOver: boolean;
}

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

  /** Some have not been resolved in the workflow. */
  get areOpen(): boolean {
    return this.#pending.size > 0 || this.#ended.length > 0;
  }

  schedule(command: LocalActivity): void {
    const scheduledAt = this.#parts.process.system.now();
    const pending: Pending = {
      command,
      scheduledAt,
      running: undefined,
      isCancelled: false,
      isOver: false,
    };
    this.#pending.set(command.seq ?? 0, pending);
    void this.#runAll(pending);
  }

  cancel(seq: number): void {
    const pending = this.#pending.get(seq);
    if (!pending) return;
    pending.isCancelled = true;
    if (pending.running) pending.running.cancel('CANCELLED');
    else this.#end(pending, { cancelled: cancelledFailure() });
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
    return this.#ended.splice(0);
  }

  /** The run is no longer in the cache: what ends from now on is of no use. */
  drop(): void {
    for (const pending of this.#pending.values()) {
      pending.isOver = true;
      pending.running?.cancel('CANCELLED');
    }
    this.#pending.clear();
    this.#ended = [];
  }

  async #runAll(pending: Pending): Promise<void> {
    const { retryPolicy } = pending.command;
    for (let attempt = 1; !pending.isOver; attempt += 1) {
      const outcome = await this.#attempt(pending, attempt);
      if (pending.isOver) return;
      const failure = 'failed' in outcome ? outcome.failed : undefined;
      if (!failure || pending.isCancelled) return this.#end(pending, outcome);
      const type = failure.applicationFailureInfo?.type ?? '';
      const isRetryable = failure.applicationFailureInfo?.nonRetryable !== true;
      if (!mayRetry(retryPolicy, { attempt, type, isRetryable }))
        return this.#end(pending, outcome);
      await this.#sleep(retryDelayMs(retryPolicy, attempt));
    }
  }

  async #attempt(pending: Pending, attempt: number): Promise<ActivityOutcome> {
    const { process } = this.#parts;
    const running = await this.#parts.start(this.#specOf(pending, attempt));
    pending.running = running;
    if (pending.isOver || pending.isCancelled) running.cancel('CANCELLED');
    const { promise, resolve } = Promise.withResolvers<ActivityOutcome>();
    const limitMs = millisecondsOf(pending.command.startToCloseTimeout);
    const timer = process.after(limitMs, () => {
      // The attempt hears of it, and may go on all the same.
      running.cancel('TIMED_OUT');
      resolve({ failed: timeoutFailure('StartToClose', []) });
    });
    void running.outcome.then(resolve);
    const outcome = await promise;
    timer.cancel();
    pending.running = undefined;
    return outcome;
  }

  #specOf({ command, scheduledAt }: Pending, attempt: number): AttemptSpec {
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
      attemptScheduledAt: this.#parts.process.system.now(),
      startToCloseMs: millisecondsOf(command.startToCloseTimeout),
      scheduleToCloseMs: millisecondsOf(command.scheduleToCloseTimeout),
      heartbeatMs: 0,
    };
  }

  #end(pending: Pending, outcome: ActivityOutcome): void {
    if (pending.isOver) return;
    pending.isOver = true;
    const { command } = pending;
    const seq = command.seq ?? 0;
    this.#pending.delete(seq);
    const result = resultOf(outcome, command);
    this.#ended.push({ resolveActivity: { seq, isLocal: true, result } });
    this.#wake();
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.process.after(milliseconds, resolve);
    });
  }
}

function resultOf(
  outcome: ActivityOutcome,
  { activityId, activityType }: LocalActivity,
): coresdk.activity_result.IActivityResolution {
  if ('completed' in outcome) return { completed: { result: outcome.completed } };
  const wrapped = (cause: Failure): Failure =>
    activityFailure('Local Activity task failed', cause, {
      activityId: activityId ?? '',
      activityType: activityType ?? '',
      identity: '',
      retryState: retryStates.maximumAttempts,
    });
  if ('cancelled' in outcome) return { cancelled: { failure: wrapped(outcome.cancelled) } };
  return { failed: { failure: wrapped(outcome.failed) } };
}
