/** Counts and times what a watcher sees while it leads. The next term begins with nothing. */
import { Histogram } from 'prom-client';
import { monotonicMs, nowMs } from '../../activities/system/system.ts';
import type { StoreView, WatchedChange } from '../../watcher/cache/store.ts';
import type { MachineView } from '../../watcher/cache/views.ts';
import type { QueueObserver } from '../../watcher/queue/queue-observer.ts';
import type { TermObserver } from '../../watcher/term.ts';
import { deploymentOf, poolLabel } from './pools.ts';
import type { Change } from '../../kube/cache/object-cache.ts';

type RecordedKind = Parameters<QueueObserver['added']>[0];

/** Seconds: of a quick cloud, and of a drain that takes hours. */
const timeBuckets = [
  1, 5, 15, 30, 60, 90, 120, 180, 240, 300, 450, 600, 900, 1_200, 1_800, 3_600, 7_200, 14_400,
];
const lagBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Labels of MCM for what happened to a machine: its pool, and its type and zone. */
export type McmLabels = Record<
  'namespace' | 'machine_deployment' | 'instance_type' | 'zone',
  string
>;

/** How long the newest of a pool took. */
export interface LastSeconds {
  event: Timed;
  labels: McmLabels;
  seconds: number;
}

export interface Counted {
  labels: McmLabels;
  value: number;
}

type Timed = Extract<MachineEvent, { seconds: number }>['event'];

/** Dashboards show the last hour: also what the removal of a pool took. */
const keptMs = 3_600_000;

export class TermRecorder implements TermObserver {
  readonly #times: Readonly<Record<Timed, Histogram>> = {
    launched: ofPools(),
    running: ofPools(),
    joined: ofPools(),
    deleted: ofPools(),
  };
  /** Label `kind`. */
  readonly lag = unregisteredHistogram(['kind'], lagBuckets);
  /** From the moment on at which a signal is to be sent until an attempt. Label `name`. */
  readonly waits = unregisteredHistogram(['name'], lagBuckets);
  /** Signals that began to wait, by kind. */
  readonly adds = new Map<RecordedKind, number>();
  /** Attempts to send that failed, by kind. */
  readonly retries = new Map<RecordedKind, number>();
  /** Machines that were Failed and are being deleted. */
  staleMachines = 0;
  readonly #failedJoins = new Map<string, Counted>();
  readonly #last = new Map<string, LastSeconds>();
  /** MachineDeployments that are gone, and since when something was heard of them last. */
  readonly #gone = new Map<string, number>();
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  changed(change: WatchedChange, store: StoreView): void {
    const { resource, type, object } = change;
    if (resource === 'machineDeployments') this.#notePool(object.name, type === 'gone');
    if (change.resource === 'machines') this.#record(change, store);
  }

  #notePool(name: string, isGone: boolean): void {
    if (isGone) this.#gone.set(name, monotonicMs());
    else this.#gone.delete(name);
    this.#forgetPools();
  }

  #record(change: Extract<WatchedChange, { resource: 'machines' }>, store: StoreView): void {
    const events = machineEventsOf(change, nowMs());
    if (events.length === 0) return;
    const { object } = change;
    const name = deploymentOf(object, store);
    if (name !== '') this.#notePool(name, store.find('machineDeployments', name) === undefined);
    const pool = { machine_deployment: name };
    const labels = mcmLabelsOf(object, { store, namespace: this.#namespace });
    for (const event of events) {
      if ('seconds' in event) {
        this.#times[event.event].observe(pool, event.seconds);
        this.#keepLast(event, labels);
      } else if (event.event === 'stale') this.staleMachines += 1;
      else this.#countFailedJoin(labels);
    }
  }

  added(kind: RecordedKind): void {
    increment(this.adds, kind);
  }

  begun(kind: RecordedKind, waitedMs: number): void {
    this.waits.observe({ name: mcmQueueOf(kind) }, waitedMs / 1_000);
  }

  arrived(kind: RecordedKind, lagMs: number): void {
    this.lag.observe({ kind }, lagMs / 1_000);
  }

  failed(kind: RecordedKind): void {
    increment(this.retries, kind);
  }

  /** Counts of machines that failed to join, as MCM has them. */
  failedJoins(): Counted[] {
    return [...this.#failedJoins.values()];
  }

  /** The newest of each pool. */
  last(event: Timed): LastSeconds[] {
    return [...this.#last.values()].filter((one) => one.event === event);
  }

  /** By pool. */
  timesOf(event: Timed): Histogram {
    this.#forgetPools();
    return this.#times[event];
  }

  /** A term may last for months, and see many pools come and go. */
  #forgetPools(): void {
    for (const [pool, goneAt] of this.#gone)
      if (monotonicMs() - goneAt > keptMs) this.#forget(pool);
  }

  #forget(pool: string): void {
    this.#gone.delete(pool);
    for (const histogram of Object.values(this.#times))
      histogram.remove({ machine_deployment: pool });
    for (const kept of [this.#last, this.#failedJoins])
      for (const [key, { labels }] of kept)
        if (labels.machine_deployment === pool) kept.delete(key);
  }

  #keepLast(event: { event: Timed; seconds: number }, labels: McmLabels | undefined): void {
    if (labels) this.#last.set(`${event.event} ${JSON.stringify(labels)}`, { labels, ...event });
  }

  #countFailedJoin(labels: McmLabels | undefined): void {
    if (!labels) return;
    const key = JSON.stringify(labels);
    const value = (this.#failedJoins.get(key)?.value ?? 0) + 1;
    this.#failedJoins.set(key, { labels, value });
  }
}

/** As MCM v0.62.1 names its queues. */
export function mcmQueueOf(kind: RecordedKind): string {
  return kind.toLowerCase();
}

/** Labels of MCM, which records nothing about a machine without the label `name`. */
function mcmLabelsOf(
  { labels, className, figures: { zone } }: MachineView,
  { store, namespace }: { store: StoreView; namespace: string },
): McmLabels | undefined {
  const { [poolLabel]: deployment } = labels;
  if (deployment === undefined) return undefined;
  const { instanceType = '' } = store.find('machineClasses', className) ?? {};
  return { namespace, machine_deployment: deployment, instance_type: instanceType, zone };
}

function ofPools(): Histogram {
  return unregisteredHistogram(['machine_deployment'], timeBuckets);
}

/** Shown under its real name by `registerComputedHistograms`. */
function unregisteredHistogram(labelNames: string[], buckets: number[]): Histogram {
  return new Histogram({ name: 'unregistered', help: '-', labelNames, buckets, registers: [] });
}

function increment(counts: Map<RecordedKind, number>, kind: RecordedKind): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

/**
 * Events in the existence of a Machine, by how it changed. Only a state that was seen before and
 * after counts, so that a leader that begins counts nothing that an earlier one has counted.
 */
type MachineEvent =
  /** The instance is there; since the creation of the Machine. */
  | { event: 'launched'; seconds: number }
  /** Running for the first time; since the creation of the Machine. */
  | { event: 'running'; seconds: number }
  /** The same, since the instance was there. */
  | { event: 'joined'; seconds: number }
  /** The Machine is gone; since it was deleted. */
  | { event: 'deleted'; seconds: number }
  /** Failed, as no Node joined in time. */
  | { event: 'failedJoin' }
  /** Was Failed and is being deleted. */
  | { event: 'stale' };

/** `now`: milliseconds since 1970. */
function machineEventsOf(change: Change<MachineView>, now: number): MachineEvent[] {
  const { type, object, previous } = change;
  if (previous === undefined) return [];
  if (type === 'gone') return deletion(object, now);
  return [...creation(previous, object, now), ...failures(previous, object)];
}

function deletion({ figures: { deletedAt } }: MachineView, now: number): MachineEvent[] {
  return deletedAt === undefined ? [] : [{ event: 'deleted', seconds: since(deletedAt, now) }];
}

function creation(previous: MachineView, object: MachineView, now: number): MachineEvent[] {
  const events: MachineEvent[] = [];
  if (object.isDeleting) return events;
  const seconds = since(object.createdAt, now);
  if (previous.figures.providerID === '' && object.figures.providerID !== '')
    events.push({ event: 'launched', seconds });
  if (!isBeforeRunning(previous) || object.phase !== 'Running') return events;
  events.push({ event: 'running', seconds });
  const { phaseSince } = previous.figures;
  if (previous.phase === 'Pending' && phaseSince !== undefined)
    events.push({ event: 'joined', seconds: since(phaseSince, now) });
  return events;
}

function failures(previous: MachineView, object: MachineView): MachineEvent[] {
  const isTimedOut = object.figures.isCreationTimedOut && !previous.figures.isCreationTimedOut;
  const isStale = previous.phase === 'Failed' && object.isDeleting && !previous.isDeleting;
  return [
    ...(isTimedOut ? [{ event: 'failedJoin' as const }] : []),
    ...(isStale ? [{ event: 'stale' as const }] : []),
  ];
}

/** Not Unknown: it was Running before. */
function isBeforeRunning({ phase }: MachineView): boolean {
  return phase === '' || phase === 'Pending' || phase === 'CrashLoopBackOff';
}

/** The clock that wrote `then` is another one, and writes whole seconds. */
function since(then: number, now: number): number {
  return Math.max((now - then) / 1_000, 0);
}
