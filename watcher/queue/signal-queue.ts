/**
 * Sends signals: of each name only the newest and not too many, to each workflow one at a time, and
 * for ever until they arrive.
 */
import type { Backoff } from '../../kube/client/backoff.ts';
import { createBackoff } from '../../kube/client/backoff.ts';
import { olderOf } from '../../kube/cache/resource-version.ts';
import type { Clock } from './clock.ts';
import type { Sent } from './debounce.ts';
import { sentAfter, mayLeaveAt, paceOf } from './debounce.ts';
import type { QueueObserver } from './queue-observer.ts';
import type { Signal } from '../dispatch/signal.ts';
import type { SignalName } from '../../workflows/contracts/messages.ts';
import type { Kind } from '../../workflows/contracts/references.ts';
import type { Resource } from '../cache/views.ts';
import { resources } from '../cache/views.ts';

export type Delivered = 'sent' | 'noWorkflow';

export interface SignalQueueOptions {
  /** Hands one signal to Temporal; throws when it must be tried again. */
  deliver(signal: Signal): Promise<Delivered>;
  clock: Clock;
  /** Signals being sent at a time. */
  concurrency: number;
  onError(error: unknown, signal: Signal): void;
  observer?: QueueObserver | undefined;
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
  kind: Kind;
  signals: Map<SignalName, QueuedSignal>;
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
function isSuperseded({ name, payload }: Signal, by: Signal | undefined): boolean {
  if (by === undefined || goneOf[name] !== by.name) return false;
  return 'uid' in payload && 'uid' in by.payload && payload.uid === by.payload.uid;
}

export class SignalQueue {
  readonly counters: SignalQueueCounters = { sent: 0, dropped: 0, merged: 0, failed: 0 };
  readonly #options: SignalQueueOptions;
  readonly #concurrency: number;
  readonly #queues = new Map<string, WorkflowQueue>();
  #queue: string[] = [];
  #running = 0;
  #isClosed = false;

  constructor(options: SignalQueueOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency;
  }

  /** Signals that have not arrived. */
  get size(): number {
    return [...this.sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** The same, by the kind of the workflow. */
  get sizes(): Map<Kind, number> {
    const sizes = new Map<Kind, number>();
    for (const queue of this.#queues.values()) {
      const size = queue.signals.size + (queue.sending === undefined ? 0 : 1);
      sizes.set(queue.kind, (sizes.get(queue.kind) ?? 0) + size);
    }
    return sizes;
  }

  send(signal: Signal): void {
    const key = `${signal.kind}/${signal.object}`;
    const queue = this.#queues.get(key) ?? emptyQueue(signal.kind);
    this.#queues.set(key, queue);
    const { signals } = queue;
    const waiting = signals.get(signal.name);
    if (waiting === undefined) this.#options.observer?.added(signal.kind);
    else this.counters.merged += 1;
    const before = { waiting, sent: queue.sent.get(signal.name) };
    const queued = queuedSignalOf(signal, before, this.#options.clock.now());
    // Behind those that wait: a new life is signalled after the end of the old one.
    signals.delete(signal.name);
    for (const [name, other] of signals) {
      if (isSuperseded(other.signal, signal)) signals.delete(name);
    }
    signals.set(signal.name, queued);
    this.#arm(key, queue);
  }

  /** The oldest change of this resource of which some workflow has not got the signal yet. */
  oldestUndelivered(resource: Resource): string | undefined {
    let oldest: string | undefined;
    for (const queue of this.#queues.values()) {
      for (const { oldest: versions } of undelivered(queue)) {
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
    for (const queue of this.#queues.values()) queue.cancelTimer?.();
  }

  #arm(key: string, queue: WorkflowQueue): void {
    queue.cancelTimer?.();
    queue.cancelTimer = undefined;
    if (this.#isClosed || queue.sending !== undefined || queue.isQueued) return;
    const { clock } = this.#options;
    const next = nextOf(queue);
    if (next === undefined) {
      this.#keepWhileUsed(key, queue);
      return;
    }
    const wait = Math.max(next.dueAt, queue.notBefore) - clock.now();
    if (wait <= 0) this.#enqueue(key, queue);
    else queue.cancelTimer = clock.after(wait, () => this.#enqueue(key, queue));
  }

  /** Forgets what was sent once it makes nothing wait. */
  #keepWhileUsed(key: string, queue: WorkflowQueue): void {
    const { clock } = this.#options;
    const usedUntil = Math.max(...[...queue.sent.values()].map((sent) => sent.usedUntil));
    const wait = usedUntil - clock.now();
    if (wait > 0) queue.cancelTimer = clock.after(wait, () => this.#keepWhileUsed(key, queue));
    else this.#queues.delete(key);
  }

  #enqueue(key: string, queue: WorkflowQueue): void {
    queue.isQueued = true;
    this.#queue.push(key);
    this.#startDeliveries();
  }

  /** Begins with the workflows whose turn it is, up to the limit of deliveries at a time. */
  #startDeliveries(): void {
    while (this.#running < this.#concurrency) {
      const key = this.#queue.shift();
      const queue = key === undefined ? undefined : this.#queues.get(key);
      if (key === undefined || queue === undefined) return;
      void this.#deliverNext(key, queue);
    }
  }

  async #deliverNext(key: string, queue: WorkflowQueue): Promise<void> {
    queue.isQueued = false;
    const queued = nextOf(queue);
    if (queued === undefined) return;
    queue.signals.delete(queued.signal.name);
    const { name, kind } = queued.signal;
    const { observer, clock } = this.#options;
    observer?.begun(kind, clock.now() - queued.since);
    const before = queue.sent.get(name);
    queue.sending = queued;
    queue.sent.set(name, sentAfter(before, queued.signal, clock.now()));
    this.#running += 1;
    try {
      const delivered = await this.#options.deliver(queued.signal);
      this.counters[delivered === 'sent' ? 'sent' : 'dropped'] += 1;
      observer?.arrived(kind, clock.now() - queued.since);
      queue.backoff.reset();
    } catch (error) {
      restore(queue.sent, name, before);
      this.#putBack(queue, queued, error);
    }
    queue.sending = undefined;
    this.#running -= 1;
    this.#arm(key, queue);
    this.#startDeliveries();
  }

  #putBack(queue: WorkflowQueue, failed: QueuedSignal, error: unknown): void {
    const { name, kind } = failed.signal;
    this.counters.failed += 1;
    this.#options.observer?.failed(kind);
    this.#options.onError(error, failed.signal);
    queue.notBefore = this.#options.clock.now() + queue.backoff.next();
    const gone = goneOf[name] && queue.signals.get(goneOf[name])?.signal;
    if (isSuperseded(failed.signal, gone)) return;
    const queued = requeue(failed, queue.signals.get(name));
    // In front of those that came later.
    const later = [...queue.signals].filter(([other]) => other !== name);
    queue.signals = new Map([[name, queued], ...later]);
  }
}

/**
 * Short, so that a restart of Temporal costs seconds; the limit on deliveries at a time protects
 * it.
 */
const retryWaits = { firstMs: 200, maxMs: 3_000 };

const emptyQueue = (kind: Kind): WorkflowQueue => ({
  kind,
  signals: new Map(),
  sending: undefined,
  sent: new Map(),
  backoff: createBackoff(retryWaits),
  notBefore: 0,
  cancelTimer: undefined,
  isQueued: false,
});

/** The one that is due first; of those due together, the one that came first. */
function nextOf({ signals }: WorkflowQueue): QueuedSignal | undefined {
  let next: QueuedSignal | undefined;
  for (const queued of signals.values()) {
    if (next === undefined || queued.dueAt < next.dueAt) next = queued;
  }
  return next;
}

/** The one that did not arrive does not count. */
function restore(sent: WorkflowQueue['sent'], name: SignalName, before: Sent | undefined): void {
  if (before === undefined) sent.delete(name);
  else sent.set(name, before);
}

const undelivered = ({ signals, sending }: WorkflowQueue): QueuedSignal[] =>
  sending === undefined ? [...signals.values()] : [sending, ...signals.values()];

/**
 * A signal on its way: the newest of its name to its workflow, and the oldest change that it stands
 * for.
 */
interface QueuedSignal {
  signal: Signal;
  /** Since when it waits; kept when a newer signal replaces the older. */
  since: number;
  /** When it is to be sent. */
  dueAt: number;
  /** The oldest change of each resource that counts as signalled only once this arrives. */
  oldest: Partial<Record<Resource, string>>;
}

interface Before {
  /** Undelivered, of the same name to the same workflow. */
  waiting: QueuedSignal | undefined;
  sent: Sent | undefined;
}

function queuedSignalOf(signal: Signal, { waiting, sent }: Before, now: number): QueuedSignal {
  const { quietMs, maxMs } = paceOf(signal);
  const since = waiting?.since ?? now;
  return {
    signal: withEdit(signal, waiting?.signal),
    since,
    dueAt: Math.max(Math.min(now + quietMs, since + maxMs), mayLeaveAt(signal, sent)),
    oldest: merged(waiting?.oldest ?? {}, {
      [signal.cause.resource]: signal.cause.resourceVersion,
    }),
  };
}

/** The delivery of `failed` did not work, and meanwhile `newer` came: it stands for both. */
function requeue(failed: QueuedSignal, newer: QueuedSignal | undefined): QueuedSignal {
  if (newer === undefined) return failed;
  return {
    ...newer,
    signal: withEdit(newer.signal, failed.signal),
    since: failed.since,
    dueAt: Math.min(failed.dueAt, newer.dueAt),
    oldest: merged(failed.oldest, newer.oldest),
  };
}

/** A later signal must not hide an edit of a class or its Secret that Temporal has not taken. */
function withEdit(signal: Signal, older: Signal | undefined): Signal {
  const isEdited = older !== undefined && 'isEdited' in older.payload;
  return isEdited ? { ...signal, payload: { ...signal.payload, isEdited: true } } : signal;
}

function merged(a: QueuedSignal['oldest'], b: QueuedSignal['oldest']): QueuedSignal['oldest'] {
  const all = { ...a };
  for (const [resource, version] of entriesOf(b)) {
    const held = all[resource];
    all[resource] = held === undefined ? version : olderOf(held, version);
  }
  return all;
}

/** Narrows to what is there. */
function entriesOf(versions: QueuedSignal['oldest']): [Resource, string][] {
  return resources.flatMap((resource): [Resource, string][] => {
    const version = versions[resource];
    return version === undefined ? [] : [[resource, version]];
  });
}
