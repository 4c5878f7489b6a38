/**
 * Asks Temporal now and then whether a worker serves the workflows. A call that Temporal answers
 * from memory, and none to Kubernetes.
 */
import { isGrpcServiceError } from '@temporalio/client';
import { grpcRefusals } from '../workflows/values/grpc-refusals.ts';
import type { Clock } from './queue/clock.ts';
import type { PauseLog } from './pause-log.ts';

export interface QueueStatus {
  /** When a worker asked for work last, milliseconds; absent when none did for minutes. */
  polledAt?: number;
  /** For how long the oldest task has been waiting, milliseconds. */
  backlogMs: number;
}

/** An idle worker asks at least each minute, and keeps the question open meanwhile. */
const longestSilenceMs = 90_000;
const longestWaitMs = 10_000;

/**
 * Since when no worker asks for work, milliseconds; undefined when one does. A worker that is
 * merely busy asks for more as soon as a slot is free, so a task that waits for long, and no
 * question since it began to wait, mean that none is there.
 *
 * `seenAt`: when the last question was heard of, by the clock of `now`.
 */
export function awaySince(
  { polledAt, backlogMs }: QueueStatus,
  now: number,
  seenAt = polledAt,
): number | undefined {
  if (polledAt === undefined || seenAt === undefined) return now - backlogMs;
  const silence = now - seenAt;
  const isWaitedFor = backlogMs > longestWaitMs && silence > backlogMs;
  return isWaitedFor || silence > longestSilenceMs ? Math.min(polledAt, now) : undefined;
}

export interface PresenceOptions {
  /** Fails with a gRPC error when Temporal does not answer. */
  read(): Promise<QueueStatus>;
  pauses: PauseLog;
  clock: Clock;
  /** Milliseconds since 1970. */
  now(): number;
  /** Reports whether work is under way for which a worker, or its absence, matters. */
  isWaiting(): boolean;
  onError(error: unknown): void;
}

const periodMs = 10_000;
/** At rest. Temporal Cloud allows 30 such calls a second, for all installs of a namespace. */
const restMs = 60_000;

export class WorkerPresence {
  readonly #options: PresenceOptions;
  #answeredAt: number;
  #awaySince: number | undefined;
  /** The newest question, by Temporal's clock, and how much later it was heard of by ours. */
  #newest: { polledAt: number; lag: number } | undefined;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  #askedAt = -Infinity;
  /** It gave no answer. */
  #isInDoubt = false;

  /** Starts at once. */
  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#answeredAt = options.now();
    void this.#run();
  }

  /** Since when no worker asks for work, milliseconds; undefined when one does. */
  get awaySince(): number | undefined {
    return this.#awaySince;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #run(): Promise<void> {
    if (this.#isDue) await this.#ask();
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(periodMs, () => void this.#run());
  }

  get #isDue(): boolean {
    const { now, isWaiting } = this.#options;
    if (now() - this.#askedAt >= restMs) return true;
    return this.#isInDoubt || this.#awaySince !== undefined || isWaiting();
  }

  /**
   * Silence is how long nothing new came before our eyes: by two clocks that differ by half a
   * minute an idle worker would be away at each end of its polls, and no deadline would ever come.
   * The first check has nothing else to go by.
   */
  #seenAt({ polledAt }: QueueStatus): number | undefined {
    if (polledAt === undefined) return undefined;
    if (!this.#newest) this.#newest = { polledAt, lag: 0 };
    else if (polledAt > this.#newest.polledAt)
      this.#newest = { polledAt, lag: this.#options.now() - polledAt };
    return polledAt + this.#newest.lag;
  }

  async #ask(): Promise<void> {
    const { read, pauses, now, onError } = this.#options;
    this.#askedAt = now();
    this.#isInDoubt = false;
    try {
      const found = await read();
      if (this.#isStopped) return;
      this.#noteAnswer();
      const since = awaySince(found, now(), this.#seenAt(found));
      // The first check that misses it knows best since when: Temporal forgets who asked.
      this.#awaySince = since === undefined ? undefined : Math.min(this.#awaySince ?? since, since);
      pauses.note('worker', this.#awaySince);
    } catch (error) {
      // A refusal is an answer: more questions would bring more of them.
      this.#isInDoubt = isOneOf(noAnswer, error);
      onError(error);
      if (this.#isStopped) return;
      if (isOneOf(noAnswer, error)) pauses.note('temporal', this.#answeredAt);
      else if (isOneOf(grpcRefusals, error)) this.#noteAnswer();
    }
  }

  #noteAnswer(): void {
    const { pauses, now } = this.#options;
    this.#answeredAt = now();
    pauses.note('temporal', undefined);
  }
}

/** UNAVAILABLE, DEADLINE_EXCEEDED. */
const noAnswer: readonly number[] = [14, 4];

function isOneOf(codes: readonly number[], error: unknown): boolean {
  return isGrpcServiceError(error) && codes.includes(error.code);
}
