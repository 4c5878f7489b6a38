/** How many workflow tasks a process takes on: as many as it finishes in time. */
import type { CustomSlotSupplier, SlotPermit, WorkflowSlotInfo } from '@temporalio/worker';
import type { Registry } from 'prom-client';
import { monotonicMs } from '../../activities/system/system.ts';
import { registerComputed } from '../metrics/computed.ts';

export interface WorkflowSlotSupplierOptions {
  most: number;
  /** However long its tasks take. */
  fewest: number;
  /** Milliseconds after which the server gives a task to another worker. */
  timeoutMs: number;
}

interface Permit extends SlotPermit {
  /** Absent while the poll waits. */
  sinceMs?: number;
}

type Supplier = CustomSlotSupplier<WorkflowSlotInfo>;

/**
 * A task that takes longer than its timeout is done twice. One that took more than half of it
 * halves the slots; they grow again while all tasks take less than a quarter. A task says something
 * of the present number of slots alone: those that began before it are not counted, and it grows
 * after as many tasks as there are slots. A poll that waits takes none, so that one queue does not
 * keep the slots of another.
 */
export class WorkflowSlotSupplier implements Supplier {
  readonly type = 'custom';
  readonly #options: WorkflowSlotSupplierOptions;
  readonly #waiting = new Set<(permit: Permit) => void>();
  #limit: number;
  #used = 0;
  #round = { sinceMs: 0, tasks: 0, slowestMs: 0 };

  constructor(options: WorkflowSlotSupplierOptions) {
    this.#options = options;
    this.#limit = this.#halfOf(options.most);
  }

  /** Tasks at once at present. A poll that waits already may bring one more. */
  get limit(): number {
    return this.#limit;
  }

  async reserveSlot(_context: unknown, signal: AbortSignal): Promise<Permit> {
    if (this.#used < this.#limit) return {};
    return await new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      const leave = (): void => {
        this.#waiting.delete(resolve);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  tryReserveSlot(): Permit | null {
    return this.#used < this.#limit ? {} : null;
  }

  markSlotUsed({ permit }: Parameters<Supplier['markSlotUsed']>[0]): void {
    (permit as Permit).sinceMs = monotonicMs();
    this.#used += 1;
  }

  releaseSlot({ permit }: Parameters<Supplier['releaseSlot']>[0]): void {
    const { sinceMs } = permit as Permit;
    if (sinceMs === undefined) return;
    this.#used -= 1;
    this.#learn(sinceMs, monotonicMs());
    for (const resolve of [...this.#waiting].slice(0, Math.max(this.#limit - this.#used, 0))) {
      this.#waiting.delete(resolve);
      resolve({});
    }
  }

  #learn(sinceMs: number, nowMs: number): void {
    const round = this.#round;
    if (sinceMs < round.sinceMs) return;
    const { fewest, most, timeoutMs } = this.#options;
    const tookMs = nowMs - sinceMs;
    round.tasks += 1;
    round.slowestMs = Math.max(round.slowestMs, tookMs);
    if (tookMs > timeoutMs / 2) this.#begin(nowMs, this.#halfOf(this.#limit));
    else if (round.tasks >= this.#limit) {
      const isQuick = round.slowestMs < timeoutMs / 4;
      this.#begin(nowMs, isQuick ? Math.min(this.#limit + fewest, most) : this.#limit);
    }
  }

  #halfOf(limit: number): number {
    return Math.max(Math.floor(limit / 2), this.#options.fewest);
  }

  #begin(sinceMs: number, limit: number): void {
    this.#round = { sinceMs, tasks: 0, slowestMs: 0 };
    this.#limit = limit;
  }
}

/** The SDK has no metric of free slots for a supplier that is not its own. */
export function registerWorkflowSlots(registry: Registry, supplier: { limit: number }): void {
  registerComputed(
    registry,
    [
      {
        name: 'millwright_workflow_task_slots',
        type: 'gauge',
        help: 'Workflow tasks that this worker takes on at once; it halves them while tasks take half of their time.',
        labels: [],
        read: ({ limit }) => [{ labels: {}, value: limit }],
      },
    ],
    () => [supplier],
  );
}
