/** A task queue: tasks wait for workers, and workers for tasks. */
import type { Simulation } from '../engine/simulation.ts';

/** Makes the task when a worker takes it. Undefined: it is not wanted any more. */
export interface Offer<Task> {
  /** For a short time this worker alone may take it, because it has the workflow in its cache. */
  only?: string | undefined;
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
const stickyMs = 1_000;

export class TaskQueue<Task> {
  readonly #simulation: Simulation;
  #polls: Poll<Task>[] = [];
  #waiting: Waiting<Task>[] = [];
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
    if (this.#serve(waiting)) return;
    this.#waiting.push(waiting);
    if (offer.only === undefined) return;
    this.#simulation.after(stickyMs, () => this.#open(waiting));
  }

  poll(worker: string): Promise<Task | undefined> {
    this.#polledAt = this.#simulation.now;
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

  /** A worker that is gone asks no more. */
  leave(worker: string): void {
    const [gone, rest] = [[] as Poll<Task>[], [] as Poll<Task>[]];
    for (const poll of this.#polls) (poll.worker === worker ? gone : rest).push(poll);
    this.#polls = rest;
    for (const { answer } of gone) answer(undefined);
    const theirs = this.#waiting.filter(({ only }) => only === worker);
    for (const waiting of theirs) this.#open(waiting);
  }

  #open(waiting: Waiting<Task>): void {
    if (!this.#waiting.includes(waiting)) return;
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
