/**
 * Asks Temporal now and then whether workers ask for drains and calls to clouds: other processes
 * may serve those than serve the workflows. Calls that Temporal answers from memory.
 */
import { driverCalls } from '../workflows/contracts/driver-activities.ts';
import { drainQueueOf, driverQueueOf } from '../workflows/contracts/task-queues.ts';
import type { StoreView } from './cache/store.ts';
import type { Clock } from './queue/clock.ts';
import type { TermView } from './term.ts';
import type { QueueStatus } from './worker-presence.ts';

const periodMs = 30_000;
/** While nothing is under way: see `WorkerPresence`. */
const restMs = 5 * 60_000;

export interface QueueWatchOptions {
  /** Those that the namespace needs now. */
  queues(): readonly string[];
  /** Reads a queue of activities. */
  read(queue: string): Promise<QueueStatus>;
  clock: Clock;
  /** Milliseconds since 1970. */
  now(): number;
  /** Reports whether work is under way. */
  isWaiting(): boolean;
  /** The known state stays. */
  onError(error: unknown): void;
}

export class QueueWatch {
  readonly #options: QueueWatchOptions;
  #unserved = new Map<string, number | undefined>();
  #cancel: () => void = () => undefined;
  #isStopped = false;
  #askedAt = -Infinity;

  /** Starts at once. */
  constructor(options: QueueWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  /**
   * Since when no worker asks at a queue, milliseconds; undefined when one does. A worker whose
   * slots are all taken does not ask: it counts as there for as long as Temporal remembers it, some
   * five minutes.
   */
  get unservedSince(): ReadonlyMap<string, number | undefined> {
    return this.#unserved;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #run(): Promise<void> {
    if (this.#isDue) await this.#askAll();
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(periodMs, () => void this.#run());
  }

  get #isDue(): boolean {
    const { now, isWaiting } = this.#options;
    const isAnyUnserved = [...this.#unserved.values()].some((since) => since !== undefined);
    return isAnyUnserved || isWaiting() || now() - this.#askedAt >= restMs;
  }

  async #askAll(): Promise<void> {
    this.#askedAt = this.#options.now();
    const found = new Map<string, number | undefined>();
    for (const queue of this.#options.queues()) await this.#ask(queue, found);
    this.#unserved = found;
  }

  async #ask(queue: string, found: Map<string, number | undefined>): Promise<void> {
    const { read, now, onError } = this.#options;
    const known = this.#unserved.get(queue);
    try {
      const { polledAt, backlogMs } = await read(queue);
      const since = polledAt === undefined ? (known ?? now() - backlogMs) : undefined;
      found.set(queue, since);
    } catch (error) {
      onError(error);
      if (this.#unserved.has(queue)) found.set(queue, known);
    }
  }
}

/** A machine is on its way, up or down, or is ill; or Temporal has not taken a signal. */
export function isWorkUnderWay({ store, backlog }: Pick<TermView, 'store' | 'backlog'>): boolean {
  if (!store || [...backlog().values()].some((count) => count > 0)) return true;
  for (const { phase, isDeleting } of store.all('machines')) {
    if (isDeleting || phase !== 'Running') return true;
  }
  return false;
}

/** Queues for drains, where there are Nodes, and for each provider that a class names. */
export function activityQueuesOf(
  taskQueue: string,
  { store, hasNodes }: { store: StoreView | undefined; hasNodes: boolean },
): string[] {
  const providers = new Set([...(store?.all('machineClasses') ?? [])].map((one) => one.provider));
  providers.delete('');
  const ofDrivers = [...providers].flatMap((provider) =>
    driverCalls.map((call) => driverQueueOf(taskQueue, provider, call)),
  );
  return [...(hasNodes ? [drainQueueOf(taskQueue)] : []), ...ofDrivers];
}
