import { Registry } from 'prom-client';
import { workflowSlots } from '../../../workers/temporal/workers.ts';
import {
  WorkflowSlotSupplier,
  registerWorkflowSlots,
} from '../../../workers/temporal/workflow-slot-supplier.ts';
import { HandSystem } from '../../support/hand-system.ts';

const timeoutMs = 4_000;
const context = {};

class Worker {
  readonly supplier = new WorkflowSlotSupplier({ most: 40, fewest: 8, timeoutMs });
  readonly #system = new HandSystem();
  #nowMs = 0;

  /** A poll that has a slot, or waits for one. */
  poll(signal = new AbortController().signal) {
    return this.supplier.reserveSlot(context, signal);
  }

  begin(permit: object): void {
    this.#system.run(() => this.supplier.markSlotUsed({ permit, slotInfo }));
  }

  end(permit: object): void {
    this.#system.run(() => this.supplier.releaseSlot({ permit }));
  }

  async after(milliseconds: number): Promise<void> {
    this.#nowMs += milliseconds;
    await this.#system.to(this.#nowMs);
  }

  /** As many tasks as there are slots, all at once; returns the slots afterwards. */
  async round(tookMs: number): Promise<number> {
    const permits = await this.begun(this.supplier.limit);
    await this.after(tookMs);
    for (const permit of permits) this.end(permit);
    return this.supplier.limit;
  }

  async begun(count: number): Promise<object[]> {
    const permits = await Promise.all(Array.from({ length: count }, () => this.poll()));
    for (const permit of permits) this.begin(permit);
    return permits;
  }
}

const slotInfo = { type: 'workflow', workflowType: 'machine', isSticky: true } as const;

async function isOpen(poll: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(resolve));
  return await Promise.race([poll.then(() => false), turn.then(() => true)]);
}

test.each([1, 2, 16])('a process with %d cores accepts the tasks that they can finish', (cores) => {
  expect(workflowSlots(cores)).toEqual({ most: 20 * cores, fewest: 4 * cores });
});

test('quick tasks bring it to all its slots, and no further', async () => {
  const worker = new Worker();
  const limits = [worker.supplier.limit];
  for (let round = 0; round < 5; round += 1) limits.push(await worker.round(500));
  expect(limits).toEqual([20, 28, 36, 40, 40, 40]);
});

test('tasks that take half of their time halve the slots once, down to the fewest', async () => {
  const worker = new Worker();
  const limits = [];
  for (let round = 0; round < 3; round += 1) limits.push(await worker.round(2_001));
  expect(limits).toEqual([10, 8, 8]);
});

test('tasks between a quarter and half of their time leave the slots as they are', async () => {
  const worker = new Worker();
  expect(await worker.round(1_500)).toBe(20);
});

test('a poll waits while all slots are taken, and goes on when a task ends', async () => {
  const worker = new Worker();
  const [first = {}] = await worker.begun(20);
  const polls = [worker.poll(), worker.poll()] as const;
  expect(worker.supplier.tryReserveSlot()).toBeNull();
  worker.end(first);
  expect(await Promise.all(polls.map(isOpen))).toEqual([false, true]);
});

test('polls that wait for a task take no slot from those of another queue', async () => {
  const worker = new Worker();
  await Promise.all(Array.from({ length: 20 }, () => worker.poll()));
  expect(await isOpen(worker.poll())).toBe(false);
});

test('a poll that has no task gives nothing back', async () => {
  const worker = new Worker();
  worker.end(await worker.poll());
  await worker.begun(20);
  expect(worker.supplier.tryReserveSlot()).toBeNull();
});

test('a poll that is not needed any more ends with the reason, and takes no slot later', async () => {
  const worker = new Worker();
  const [first = {}] = await worker.begun(20);
  const ending = new AbortController();
  const given = worker.poll(ending.signal);
  const next = worker.poll();
  ending.abort(new Error('the worker ends'));
  await expect(given).rejects.toThrow('the worker ends');
  worker.end(first);
  expect(await isOpen(next)).toBe(false);
});

test('a metric says how many tasks a worker takes on at once', async () => {
  const registry = new Registry();
  registerWorkflowSlots(registry, { limit: 12 });
  expect(await registry.metrics()).toContain('\nmillwright_workflow_task_slots 12\n');
});
