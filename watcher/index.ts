/**
 * The watcher: turns changes in both clusters into signals, and decides nothing. One of the
 * processes of a namespace leads; the others wait for its Lease.
 */
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { KubeClient } from '../kube/client/client.ts';
import { isTooLarge } from '../kube/client/errors.ts';
import { type GlobalStopOptions, watchGlobalStop } from '../kube/objects/global-stop.ts';
import type { InstallNote } from '../kube/objects/install-note.ts';
import type { CertificateEnd } from '../kube/objects/certificate-ends.ts';
import { Election } from '../kube/leases/election.ts';
import type { ElectionTiming, Leadership } from '../kube/leases/election.ts';
import type { LeasePlace } from '../kube/leases/lease-set.ts';
import { checkpointAnnotation } from '../kube/leases/lease-set.ts';
import type { AwaitedNodes } from './awaited-nodes.ts';
import type { Scope } from './cache/checkpoint.ts';
import { isOfOtherPlace, read } from './cache/checkpoint.ts';
import { realClock } from './queue/clock.ts';
import { createDelivery } from './queue/delivery.ts';
import type { DeliveryOptions } from './queue/delivery.ts';
import type { PauseLog } from './pause-log.ts';
import { placeOf } from './place.ts';
import { LeaseNotes } from './lease-notes.ts';
import type { Signal } from './dispatch/signal.ts';
import { LeaderSession } from './leader-session.ts';
import type { DoubtKind } from './doubt.ts';
import { kindOfDoubt, otherTemporal, othersRuns } from './doubt.ts';
import type { TermObserver, TermView } from './term.ts';
import type { Delivered } from './queue/signal-queue.ts';
import type { QueueStatus } from './worker-presence.ts';
import { activityQueuesOf, isWorkUnderWay, QueueWatch } from './queue-watch.ts';
import { WorkerPresence } from './worker-presence.ts';
import { monotonicMs, nowMs } from '../activities/system/system.ts';

/** Signals as the first spans of traces. */
export interface SignalTraces {
  /** `send` delivers the signal; it is called again when it fails. */
  deliver<T>(
    signal: Signal,
    place: { cluster: string; namespace: string },
    send: () => Promise<T>,
  ): Promise<T>;
}

export interface WatcherOptions {
  /** Cluster of the Machines. */
  control: KubeClient;
  /** Cluster of the Nodes; undefined watches none. */
  target: KubeClient | undefined;
  /** Id of `target`. */
  targetCluster: string | undefined;
  temporal: Client;
  /** Reads whether workers poll the queue of workflows. */
  readQueue(): Promise<QueueStatus>;
  /** The same of a queue of activities. */
  readActivityQueue(queue: string): Promise<QueueStatus>;
  /** Calls `send` when it may go out: of a fleet others send as well. */
  turn<Answer>(send: () => Promise<Answer>): Promise<Answer>;
  /** Absent: there are none. */
  traces?: SignalTraces | undefined;
  /** Creates of this process that take signals of Nodes. */
  awaitedNodes?: AwaitedNodes | undefined;
  namespace: string;
  /** Task queue of the workflows. */
  taskQueue: string;
  /** Signals being sent at a time. */
  concurrency: number;
  /** Id of the control cluster. */
  cluster: string;
  /** For people, on the Lease. */
  install: Pick<InstallNote, 'name' | 'isFleet'> & { temporalAddress: string };
  /** See `workflowIdOf`. */
  clusterName?: string | undefined;
  /** Timeouts of the runs that it starts. */
  timeouts: DeliveryOptions['timeouts'];
  creationTimeoutSeconds: number;
  /** See `DeliveryOptions`. */
  launches?: DeliveryOptions['launches'];
  log: Logger;
  leaderElection: LeaderElection;
  /** Ends of the certificates that this process has read, for its Lease. Called at each renewal. */
  certificates(): readonly CertificateEnd[];
  /** Options of the ConfigMap that stops everything. */
  stop?: Pick<GlobalStopOptions, 'onForbidden'>;
  /** A cluster has more than a watcher keeps of one namespace; `reason` is for people. */
  onTooLarge?(reason: string): void;
  /** A term begins. Returns what hears of all that happens in it. */
  onTerm?(): TermObserver;
}

export interface LeaderElection {
  /** See `createLeaseClient`. */
  client: KubeClient;
  /** Stays the same when the process is restarted; differs between processes that run at once. */
  identity: string;
  timing?: Partial<ElectionTiming>;
  /** False: this process takes our Lease at its start from any holder, and MCM's are left alone. */
  isElected: boolean;
  /** Namespace and name of the Lease. */
  place?: LeasePlace | undefined;
}

export interface Watcher {
  /** Undefined for a leader that hears of all resources, and for one that stands by. */
  whyNotReady(): string | undefined;
  isLeader(): boolean;
  /** This process or another one, MCM as well. */
  hasLeader(): boolean;
  /** Why it does not lead, for people. */
  obstacle(): string | undefined;
  /** State of the leader; undefined on others. */
  term(): TermView | undefined;
  /** Terms of this process that signalled everything anew, by the reason. */
  doubts: ReadonlyMap<DoubtKind, number>;
  /** `id`: of the Temporal namespace, as it is now. With another one all is signalled again. */
  noteDatabase(id: string): void;
  /** Runs of another install were ended that had ids of ours: all is signalled again. */
  noteOthersRuns(): void;
  /** Ends within seconds; hands over at once. */
  stop(): Promise<void>;
}

/** Resolves when it watches or stands by. Rejects when the control cluster does not answer. */
export async function startWatcher(options: WatcherOptions): Promise<Watcher> {
  const { cluster, targetCluster: target, temporal } = options;
  const database = await databaseOf(temporal);
  const scope = { place: placeOf(database, options), target };
  return startElection(options, { cluster, database, scope });
}

/**
 * An empty database has another one: what was signalled to the one before it is signalled again.
 */
async function databaseOf({ workflowService, options: { namespace } }: Client): Promise<string> {
  const { namespaceInfo } = await workflowService.describeNamespace({ namespace });
  return namespaceInfo?.id ?? '';
}

interface WatchIdentity {
  /** UID. */
  cluster: string;
  /** Id of the namespace of Temporal. */
  database: string;
  /** Scope of the checkpoint: one install's workflows in one database of Temporal. */
  scope: Scope;
}

function startElection(options: WatcherOptions, place: WatchIdentity): Watcher {
  const { client, place: leasePlace, identity, timing, isElected } = options.leaderElection;
  const { namespace, log } = options;
  let session: LeaderSession | undefined;
  const stop = watchGlobalStop({
    client: options.control,
    namespace,
    onError: (err) => log.warn({ err }, 'the ConfigMap millwright-stop cannot be read'),
    ...options.stop,
  });
  const notes = notesOf(options, place);
  const doubts = new Map<DoubtKind, number>();
  let presence: Presence | undefined;
  const election = new Election({
    client,
    namespace,
    place: leasePlace,
    identity,
    ...(timing && { timing }),
    isForced: !isElected,
    log,
    annotations: (doubt) =>
      notes.annotations(doubt, {
        checkpoint: session?.checkpoint(),
        stoppedSince: stop.current()?.since,
        targetAwaySince: session?.targetAwaySince,
      }),
    isNeeded: () => session?.hasFinalizers,
    onTaking: (before, doubt) => notes.takeOver(before, doubt),
    onElected(leadership) {
      logTerm(options, leadership);
      countDoubt(doubts, leadership, place);
      session = startSession(options, place, {
        ...leadership,
        onDoubt: (reason) => election.beginAnew(reason),
      });
      presence = startPresence(options, notes.pauses, session);
    },
    onLost(reason) {
      log.error({ namespace, reason }, 'no longer leading');
      presence?.stop();
      void session?.stop();
      session = undefined;
    },
  });
  return watcherOf({
    session: () => session,
    isLeader: () => election.isLeader,
    hasLeader: () => election.hasLeader,
    obstacle: () => election.obstacle,
    stoppedSince: () => stop.current()?.since,
    unservedSince: () => presence?.unservedSince() ?? new Map(),
    doubts,
    noteDatabase(id) {
      if (moveTo(place, id, options)) election.beginAnew(otherTemporal);
    },
    noteOthersRuns: () => election.beginAnew(othersRuns),
    async stop() {
      presence?.stop();
      await session?.stop();
      await election.stop();
      // A term may have begun in between.
      presence?.stop();
      await session?.stop();
      await stop.close();
    },
  });
}

/** Reports whether it is another database of Temporal than before. */
function moveTo(place: WatchIdentity, id: string, options: WatcherOptions): boolean {
  const found = placeOf(id, options);
  if (id === '' || found === place.scope.place) return false;
  place.scope.place = found;
  place.database = id;
  return true;
}

function notesOf(options: WatcherOptions, place: WatchIdentity): LeaseNotes {
  const { cluster, clusterName, temporal, certificates } = options;
  const { temporalAddress: address, ...names } = options.install;
  const { namespace } = temporal.options;
  const install = (): InstallNote => ({
    cluster,
    ...names,
    clusterName,
    temporal: { address, namespace, id: place.database },
  });
  return new LeaseNotes({ scope: place.scope, install, certificates });
}

interface Presence {
  unservedSince(): Map<string, number | undefined>;
  stop(): void;
}

function startPresence(
  { readQueue, readActivityQueue, taskQueue, target, log }: WatcherOptions,
  pauses: PauseLog,
  session: LeaderSession,
): Presence {
  const onError = (err: unknown): void =>
    log.warn({ err }, 'Temporal does not say whether a worker is there');
  const isWaiting = (): boolean => isWorkUnderWay(session.view());
  const times = { clock: realClock, now: nowMs, isWaiting, onError };
  const workers = new WorkerPresence({ read: () => readQueue(), pauses, ...times });
  const hasNodes = target !== undefined;
  const queues = new QueueWatch({
    queues: () => activityQueuesOf(taskQueue, { store: session.view().store, hasNodes }),
    read: (queue) => readActivityQueue(queue),
    ...times,
  });
  return {
    unservedSince: () => new Map([[taskQueue, workers.awaySince], ...queues.unservedSince]),
    stop() {
      workers.stop();
      queues.stop();
    },
  };
}

function logTerm({ log, namespace }: WatcherOptions, { epoch, doubt }: Leadership): void {
  log.info({ namespace, epoch, ...(doubt !== undefined && { doubt }) }, 'leading');
}

function countDoubt(
  doubts: Map<DoubtKind, number>,
  { doubt, annotations }: Leadership,
  { scope }: WatchIdentity,
): void {
  const isForeign = isOfOtherPlace(annotations[checkpointAnnotation], scope);
  const kind = doubt === undefined ? isForeign && 'temporal' : kindOfDoubt(doubt);
  if (kind !== false) doubts.set(kind, (doubts.get(kind) ?? 0) + 1);
}

interface Term extends Leadership {
  onDoubt(reason: string): void;
}

/**
 * In doubt everything is signalled again, at an epoch that is later than all that workflows know.
 */
function startSession(options: WatcherOptions, place: WatchIdentity, term: Term): LeaderSession {
  const { log } = options;
  const { cluster, scope } = place;
  const { epoch, annotations, doubt, onDoubt } = term;
  const deliver = traced(options, createDelivery({ ...options, cluster }));
  return new LeaderSession({
    ...options,
    cluster,
    epoch,
    checkpoint: doubt === undefined ? read(annotations[checkpointAnnotation], scope) : {},
    onDoubt,
    clock: realClock,
    deliver: (signal) => options.turn(() => deliver(signal)),
    onWatchError(err, resource) {
      log.warn({ err, resource }, 'a watch broke; it goes on');
      if (isTooLarge(err)) options.onTooLarge?.(`${resource} are too large: ${err.message}`);
    },
    onDeliveryError: warnOfDelivery(log),
    observer: options.onTerm?.(),
  });
}

type Deliver = (signal: Signal) => Promise<Delivered>;

function traced({ traces, cluster, namespace }: WatcherOptions, deliver: Deliver): Deliver {
  if (!traces) return deliver;
  return (signal) => traces.deliver(signal, { cluster, namespace }, () => deliver(signal));
}

const warnEveryMs = 5_000;

/** While Temporal is away every signal fails, and one line says as much as hundreds. */
function warnOfDelivery(log: Logger): (error: unknown, signal: Signal) => void {
  let warnedAt = -warnEveryMs;
  return (err, { kind, object, name }) => {
    if (monotonicMs() - warnedAt < warnEveryMs) return;
    warnedAt = monotonicMs();
    log.warn({ err, kind, object, signal: name }, 'signals do not arrive; they are sent again');
  };
}

interface Parts extends Omit<Watcher, 'whyNotReady' | 'term'> {
  session(): LeaderSession | undefined;
  stoppedSince(): number | undefined;
  unservedSince(): Map<string, number | undefined>;
}

function watcherOf({ session, stoppedSince, unservedSince, ...shown }: Parts): Watcher {
  return {
    ...shown,
    whyNotReady: () => session()?.whyNotReady(),
    term() {
      const view = shown.isLeader() ? session()?.view() : undefined;
      if (!view) return undefined;
      return { ...view, stoppedSince: stoppedSince(), unservedSince: unservedSince() };
    },
  };
}
