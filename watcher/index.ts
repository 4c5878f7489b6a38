/**
 * The watcher: turns changes in both clusters into signals, and decides nothing. Of several processes of a
 * namespace one leads; the others wait for its Lease.
 */
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { KubeClient } from '../activities/kube/client.ts';
import type { GlobalStop } from '../activities/kube/global-stop.ts';
import { lastStopAnnotation, watchGlobalStop, writeSpan } from '../activities/kube/global-stop.ts';
import { epochFromTime } from '../activities/kube/lease-set.ts';
import { Election } from '../activities/kube/lease.ts';
import type { ElectionTiming, Leadership } from '../activities/kube/lease.ts';
import { checkpointAnnotation, read, write } from './checkpoint.ts';
import { realClock } from './clock.ts';
import { createDelivery } from './delivery.ts';
import type { Signal } from './signal.ts';
import type { StoreView } from './store.ts';
import { Tenure } from './tenure.ts';
import type { SourceState } from './tenure.ts';
import type { Resource } from './views.ts';

export interface WatcherOptions {
  /** Cluster of the Machines. */
  control: KubeClient;
  /** Cluster of the Nodes; undefined watches none. */
  target: KubeClient | undefined;
  temporal: Client;
  namespace: string;
  /** Of the workflows. */
  taskQueue: string;
  /** UID of the control cluster's namespace kube-system. Default: it is read. */
  cluster?: string;
  log: Logger;
  /** False: this process leads without asking, and tells everything at each start. */
  leaderElection: LeaderElection | false;
}

export interface LeaderElection {
  /** See `createLeaseClient`. */
  client: KubeClient;
  /** Stays the same when the process is restarted; differs between processes that run at once. */
  identity: string;
  timing?: Partial<ElectionTiming>;
}

export interface WatcherMetrics {
  isLeader: boolean;
  signalsSent: number;
  /** Plain signals to workflows that do not run. */
  signalsDropped: number;
  /** Replaced by newer ones before they were sent. */
  signalsMerged: number;
  /** Attempts that failed and were repeated. */
  signalsFailed: number;
  /** Signals that have not arrived. */
  backlog: number;
  sources: Partial<Record<Resource, SourceState>>;
}

export interface Watcher {
  /** True for a leader that has listed everything, and for one that stands by. */
  isReady(): boolean;
  isLeader(): boolean;
  /** Why it does not lead, for people. */
  obstacle(): string | undefined;
  metrics(): WatcherMetrics;
  /** What the leader knows of all objects; undefined on others. */
  store(): StoreView | undefined;
  /** Ends within seconds; hands over at once. */
  stop(): Promise<void>;
}

/** Resolves when it watches or stands by. Rejects when the control cluster does not answer. */
export async function startWatcher(options: WatcherOptions): Promise<Watcher> {
  const cluster = options.cluster ?? (await clusterUidOf(options.control));
  return options.leaderElection === false
    ? startAlone(options, cluster)
    : startElected(options, options.leaderElection, cluster);
}

async function clusterUidOf(control: KubeClient): Promise<string> {
  const path = '/api/v1/namespaces/kube-system';
  const { metadata } = await control.get<{ metadata: { uid: string } }>(path);
  return metadata.uid;
}

function startAlone(options: WatcherOptions, cluster: string): Watcher {
  // Later than every earlier start, with or without election.
  const tenure = startTenure(options, cluster, { epoch: epochFromTime(), annotations: {} });
  return watcherOf({
    tenure: () => tenure,
    isLeader: () => true,
    obstacle: () => undefined,
    stop: () => tenure.stop(),
  });
}

function startElected(
  options: WatcherOptions,
  { client, identity, timing }: LeaderElection,
  cluster: string,
): Watcher {
  const { namespace, log } = options;
  let tenure: Tenure | undefined;
  const stop = watchGlobalStop({
    client: options.control,
    namespace,
    onError: (err) => log.warn({ err }, 'the ConfigMap millwright-stop cannot be read'),
  });
  const election = new Election({
    client,
    namespace,
    identity,
    ...(timing && { timing }),
    log,
    annotations() {
      const checkpoint = tenure?.checkpoint();
      return {
        ...(checkpoint && { [checkpointAnnotation]: write(checkpoint, cluster) }),
        ...lastStopOf(stop),
      };
    },
    onElected(leadership) {
      log.info({ namespace, epoch: leadership.epoch }, 'leading');
      tenure = startTenure(options, cluster, leadership);
    },
    onLost(reason) {
      log.error({ namespace, reason }, 'no longer leading');
      void tenure?.stop();
      tenure = undefined;
    },
  });
  return watcherOf({
    tenure: () => tenure,
    isLeader: () => election.isLeader,
    obstacle: () => election.obstacle,
    async stop() {
      await tenure?.stop();
      await election.stop();
      await tenure?.stop();
      await stop.close();
    },
  });
}

/** Kept where it outlives every process, for the clocks of workers that start later. */
function lastStopOf(stop: GlobalStop): Record<string, string> {
  const last = stop.last();
  return last ? { [lastStopAnnotation]: writeSpan(last) } : {};
}

function startTenure(options: WatcherOptions, cluster: string, leadership: Leadership): Tenure {
  const { log } = options;
  return new Tenure({
    ...options,
    cluster,
    epoch: leadership.epoch,
    checkpoint: read(leadership.annotations[checkpointAnnotation], cluster),
    clock: realClock,
    deliver: createDelivery({ ...options, cluster }),
    onWatchError: (err, resource) => log.warn({ err, resource }, 'a watch broke; it goes on'),
    onDeliveryError: warnOfDelivery(log),
  });
}

const warnEveryMs = 5_000;

/** While Temporal is away every signal fails, and one line says as much as hundreds. */
function warnOfDelivery(log: Logger): (error: unknown, signal: Signal) => void {
  let warnedAt = -warnEveryMs;
  return (err, { kind, object, name }) => {
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    log.warn({ err, kind, object, signal: name }, 'signals do not arrive; they are sent again');
  };
}

interface Parts {
  tenure(): Tenure | undefined;
  isLeader(): boolean;
  obstacle(): string | undefined;
  stop(): Promise<void>;
}

function watcherOf({ tenure, isLeader, obstacle, stop }: Parts): Watcher {
  return {
    isReady: () => tenure()?.isSynced ?? true,
    isLeader,
    obstacle,
    metrics: () => metricsOf(tenure(), isLeader()),
    store: () => tenure()?.store,
    stop,
  };
}

/** Those who stand by have sent nothing. */
const idle: Pick<Tenure, 'counters' | 'backlog' | 'sources'> = {
  counters: { sent: 0, dropped: 0, merged: 0, failed: 0 },
  backlog: 0,
  sources: new Map(),
};

function metricsOf(tenure: Tenure | undefined, isLeader: boolean): WatcherMetrics {
  const { counters, backlog, sources } = tenure ?? idle;
  return {
    isLeader,
    signalsSent: counters.sent,
    signalsDropped: counters.dropped,
    signalsMerged: counters.merged,
    signalsFailed: counters.failed,
    backlog,
    sources: Object.fromEntries(sources),
  };
}
