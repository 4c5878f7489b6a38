/**
 * Sends signals: of each name only the newest and not too many, to each workflow one at a time, and
 * for ever until they arrive.
 */
import { createBackoff } from '../../activities/kube/client/backoff.ts';
import type { Backoff } from '../../activities/kube/client/backoff.ts';
import { olderOf } from '../../activities/kube/cache/resource-version.ts';
import type { Clock } from './clock.ts';
import { sentAfter } from './debounce.ts';
import type { Sent } from './debounce.ts';
import { pack, repack } from './queued-signal.ts';
import type { QueuedSignal } from './queued-signal.ts';
import type { Signal } from '../dispatch/signal.ts';
import type { SignalName } from '../../workflows/contracts/messages.ts';
import type { Resource } from '../cache/views.ts';

export type Delivered = 'sent' | 'noWorkflow';

export interface SignalQueueOptions {
  /** Hands one signal to Temporal; throws when it must be tried again. */
  deliver(signal: Signal): Promise<Delivered>;
  clock: Clock;
  /** Signals being sent at a time. */
  concurrency: number;
  onError(error: unknown, signal: Signal): void;
}

export interface SignalQueueCounters {
  sent: number;
  /** Plain signals to workflows that do not run. */
  dropped: number;
  /** Replaced by a newer one before they were sent. */
  merged: number;
  failed: number;
}

/** All that waits for one workflow. */
interface WorkflowQueue {
  parcels: Map<SignalName, QueuedSignal>;
  sending: QueuedSignal | undefined;
  /** Kept as long as it makes the next one wait. */
  sent: Map<SignalName, Sent>;
  backoff: Backoff;
  /** Not before, after a failure. */
  notBefore: number;
  cancelTimer: (() => void) | undefined;
  isQueued: boolean;
}

const goneOf: Partial<Record<SignalName, SignalName>> = {
  machineObserved: 'machineGone',
  machineSetObserved: 'machineSetGone',
  machineDeploymentObserved: 'machineDeploymentGone',
};

/** A start that was not delivered must not revive an object that is gone meanwhile. */
function isOverruled({ name, payload }: Signal, by: Signal | undefined): boolean {
  if (by === undefined || goneOf[name] !== by.name) return false;
  return 'uid' in payload && 'uid' in by.payload && payload.uid === by.payload.uid;
}

export class SignalQueue {
  readonly counters: SignalQueueCounters = { sent: 0, dropped: 0, merged: 0, failed: 0 };
  readonly #options: SignalQueueOptions;
  readonly #concurrency: number;
  readonly #boxes = new Map<string, WorkflowQueue>();
  #queue: string[] = [];
  #running = 0;
  #isClosed = false;

  constructor(options: SignalQueueOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency;
  }

  /** Signals that have not arrived. */
  get size(): number {
    let size = 0;
    for (const box of this.#boxes.values()) {
      size += box.parcels.size + (box.sending === undefined ? 0 : 1);
    }
    return size;
  }

  send(signal: Signal): void {
    const key = `${signal.kind}/${signal.object}`;
    const box = this.#boxes.get(key) ?? emptyBox();
    this.#boxes.set(key, box);
    const { parcels } = box;
    const waiting = parcels.get(signal.name);
    if (waiting !== undefined) this.counters.merged += 1;
    const before = { waiting, sent: box.sent.get(signal.name) };
    const parcel = pack(signal, before, this.#options.clock.now());
    // Behind those that wait: a new life is told after the end of the old one.
    parcels.delete(signal.name);
    for (const [name, other] of parcels) {
      if (isOverruled(other.signal, signal)) parcels.delete(name);
    }
    parcels.set(signal.name, parcel);
    this.#arm(key, box);
  }

  /** The oldest change of this resource that some workflow has not been told yet. */
  oldestUntold(resource: Resource): string | undefined {
    let oldest: string | undefined;
    for (const box of this.#boxes.values()) {
      for (const { oldest: versions } of untold(box)) {
        const version = versions[resource];
        if (version !== undefined)
          oldest = oldest === undefined ? version : olderOf(oldest, version);
      }
    }
    return oldest;
  }

  /** Nothing more is begun; what is under way ends by itself. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
    for (const box of this.#boxes.values()) box.cancelTimer?.();
  }

  #arm(key: string, box: WorkflowQueue): void {
    box.cancelTimer?.();
    box.cancelTimer = undefined;
    if (this.#isClosed || box.sending !== undefined || box.isQueued) return;
    const { clock } = this.#options;
    const next = nextOf(box);
    if (next === undefined) {
      this.#keepWhileUsed(key, box);
      return;
    }
    const wait = Math.max(next.dueAt, box.notBefore) - clock.now();
    if (wait <= 0) this.#enqueue(key, box);
    else box.cancelTimer = clock.after(wait, () => this.#enqueue(key, box));
  }

  /** What was sent is forgotten once it makes nothing wait. */
  #keepWhileUsed(key: string, box: WorkflowQueue): void {
    const { clock } = this.#options;
    const usedUntil = Math.max(...[...box.sent.values()].map((sent) => sent.usedUntil));
    const wait = usedUntil - clock.now();
    if (wait > 0) box.cancelTimer = clock.after(wait, () => this.#keepWhileUsed(key, box));
    else this.#boxes.delete(key);
  }

  #enqueue(key: string, box: WorkflowQueue): void {
    box.isQueued = true;
    this.#queue.push(key);
    this.#drain();
  }

  #drain(): void {
    while (this.#running < this.#concurrency) {
      const key = this.#queue.shift();
      const box = key === undefined ? undefined : this.#boxes.get(key);
      if (key === undefined || box === undefined) return;
      void this.#deliverNext(key, box);
    }
  }

  async #deliverNext(key: string, box: WorkflowQueue): Promise<void> {
    box.isQueued = false;
    const parcel = nextOf(box);
    if (parcel === undefined) return;
    box.parcels.delete(parcel.signal.name);
    const { name } = parcel.signal;
    const before = box.sent.get(name);
    box.sending = parcel;
    box.sent.set(name, sentAfter(before, parcel.signal, this.#options.clock.now()));
    this.#running += 1;
    try {
      const delivered = await this.#options.deliver(parcel.signal);
      this.counters[delivered === 'sent' ? 'sent' : 'dropped'] += 1;
      box.backoff.reset();
    } catch (error) {
      restore(box.sent, name, before);
      this.#putBack(box, parcel, error);
    }
    box.sending = undefined;
    this.#running -= 1;
    this.#arm(key, box);
    this.#drain();
  }

  #putBack(box: WorkflowQueue, failed: QueuedSignal, error: unknown): void {
    const { name } = failed.signal;
    this.counters.failed += 1;
    this.#options.onError(error, failed.signal);
    box.notBefore = this.#options.clock.now() + box.backoff.next();
    const gone = goneOf[name] && box.parcels.get(goneOf[name])?.signal;
    if (isOverruled(failed.signal, gone)) return;
    const parcel = repack(failed, box.parcels.get(name));
    // In front of those that came later.
    const later = [...box.parcels].filter(([other]) => other !== name);
    box.parcels = new Map([[name, parcel], ...later]);
  }
}

/**
 * Short, so that a restart of Temporal costs seconds; the limit on deliveries at a time protects
 * it.
 */
const retryWaits = { firstMs: 200, maxMs: 3_000 };

const emptyBox = (): WorkflowQueue => ({
  parcels: new Map(),
  sending: undefined,
  sent: new Map(),
  backoff: createBackoff(retryWaits),
  notBefore: 0,
  cancelTimer: undefined,
  isQueued: false,
});

/** The one that is due first; of those due together, the one that came first. */
function nextOf({ parcels }: WorkflowQueue): QueuedSignal | undefined {
  let next: QueuedSignal | undefined;
  for (const parcel of parcels.values()) {
    if (next === undefined || parcel.dueAt < next.dueAt) next = parcel;
  }
  return next;
}

/** The one that did not arrive does not count. */
function restore(sent: WorkflowQueue['sent'], name: SignalName, before: Sent | undefined): void {
  if (before === undefined) sent.delete(name);
  else sent.set(name, before);
}

const untold = ({ parcels, sending }: WorkflowQueue): QueuedSignal[] =>
  sending === undefined ? [...parcels.values()] : [sending, ...parcels.values()];
