/** A task queue: tasks wait for workers, and workers for tasks. */
import type { Simulation } from '../engine/simulation.ts';

/** Makes the task when a worker takes it. Undefined: it is not wanted any more. */
export interface Offer<Task> {
  /** For a short time this worker alone may take it, because it has the workflow in its cache. */
  only?: string | undefined;
  /** The time for that worker is over, and it did not come. */
  onOpen?(): void;
  take(worker: string): Task | undefined;
}

interface Poll<Task> {
  worker: string;
  answer(task: Task | undefined): void;
}

interface Waiting<Task> extends Offer<Task> {
  since: number;
}

/**
 * For how long a task waits for the worker that has its workflow
 * (docs/decisions/0002-recovery.md).
 */
const stickyMs = 10_000;
/** For so long the server takes a worker for present that does not ask any more. */
const rememberedMs = 10_000;

export class TaskQueue<Task> {
  readonly #simulation: Simulation;
  #polls: Poll<Task>[] = [];
  #waiting: Waiting<Task>[] = [];
  /** When each asked last; -Infinity: it said goodbye. */
  readonly #askedAt = new Map<string, number>();
  #polledAt: number | undefined;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** When a worker asked last, milliseconds since 1970. */
  get polledAt(): number | undefined {
    return this.#polls.length > 0 ? this.#simulation.now : this.#polledAt;
  }

  /** For how long the oldest task waits, milliseconds. */
  get backlogMs(): number {
    const oldest = this.#waiting[0];
    return oldest ? this.#simulation.now - oldest.since : 0;
  }

  add(offer: Offer<Task>): void {
    const waiting = { ...offer, since: this.#simulation.now };
    if (this.#isLongGone(offer.only)) waiting.only = undefined;
    if (this.#serve(waiting)) return;
    this.#waiting.push(waiting);
    if (waiting.only === undefined) return;
    this.#simulation.after(stickyMs, () => this.#open(waiting));
  }

  poll(worker: string): Promise<Task | undefined> {
    this.#polledAt = this.#simulation.now;
    this.#askedAt.set(worker, this.#simulation.now);
    for (const waiting of this.#waiting) {
      if (!isFor(waiting, worker)) continue;
      this.#forget(waiting);
      const task = waiting.take(worker);
      if (task !== undefined) return Promise.resolve(task);
    }
    return new Promise((answer) => {
      this.#polls.push({ worker, answer });
    });
  }

  /** A worker that is gone asks no more. Of one that was killed the server learns nothing. */
  leave(worker: string, { wasKilled }: { wasKilled: boolean }): void {
    if (!wasKilled) this.#askedAt.set(worker, -Infinity);
    const [gone, rest] = [[] as Poll<Task>[], [] as Poll<Task>[]];
    for (const poll of this.#polls) (poll.worker === worker ? gone : rest).push(poll);
    this.#polls = rest;
    for (const { answer } of gone) answer(undefined);
    if (wasKilled) return;
    const theirs = this.#waiting.filter(({ only }) => only === worker);
    for (const waiting of theirs) this.#openToAll(waiting);
  }

  #isLongGone(worker: string | undefined): boolean {
    if (worker === undefined || this.#polls.some((poll) => poll.worker === worker)) return false;
    return this.#simulation.now - (this.#askedAt.get(worker) ?? -Infinity) > rememberedMs;
  }

  #open(waiting: Waiting<Task>): void {
    if (!this.#waiting.includes(waiting) || waiting.only === undefined) return;
    waiting.onOpen?.();
    this.#openToAll(waiting);
  }

  #openToAll(waiting: Waiting<Task>): void {
    waiting.only = undefined;
    if (this.#serve(waiting)) this.#forget(waiting);
  }

  /** True when it was taken, or is not wanted any more. */
  #serve(offer: Offer<Task>): boolean {
    const index = this.#polls.findIndex(({ worker }) => isFor(offer, worker));
    const poll = this.#polls[index];
    if (!poll) return false;
    const task = offer.take(poll.worker);
    if (task === undefined) return true;
    this.#polls.splice(index, 1);
    poll.answer(task);
    return true;
  }

  #forget(waiting: Waiting<Task>): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
  }
}

function isFor<Task>({ only }: Offer<Task>, worker: string): boolean {
  return only === undefined || only === worker;
}
