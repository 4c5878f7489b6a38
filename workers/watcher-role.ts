/** The watcher's work, in a process of its own or in a worker. */
import type { Client } from '@temporalio/client';
import type { Registry } from 'prom-client';
import type { AwaitedNodes } from '../watcher/awaited-nodes.ts';
import { briefly, brieflyEach } from './fleet/briefly.ts';
import { FairTurns } from './fleet/fair-turns.ts';
import { isFleet } from './fleet/fleet.ts';
import type { Attempt } from './fleet/served-namespace.ts';
import type { ServedWatcher, WatcherFleet } from './fleet/serve-watcher.ts';
import { serveWatcher } from './fleet/serve-watcher.ts';
import type { KubeClients } from './kube/clients.ts';
import { registerWatcherMetrics } from './metrics/watchers.ts';
import type { Outside } from './outside.ts';
import type { Leaders } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import type { Identity } from './temporal/identity.ts';
import { readQueue } from './temporal/queue-status.ts';

/** Less than the time between two questions of one namespace. */
const queueStatusMs = 5_000;

export interface WatcherServers {
  clients: KubeClients;
  identity: Identity;
  temporal: Client;
  registry: Registry;
  leaders: Leaders;
  /** Of a worker in the same process. */
  awaitedNodes?: AwaitedNodes;
}

export interface WatcherRole {
  /** See `serveWatcher`. */
  serve(this: void, attempt: Attempt): Promise<void>;
  /** Why its only namespace is not heard of. One of many is no fault of the process. */
  whyNotReady(): string | undefined;
  /** `id`: of the Temporal namespace, as it is now. */
  noteDatabase(id: string): void;
}

export function openWatcherRole(
  { config, shutdown, certificates, traces }: Process,
  outside: Outside,
  { registry, ...servers }: WatcherServers,
): WatcherRole {
  const watchers = new Map<string, ServedWatcher>();
  const { temporal, identity } = servers;
  const leaseClient = outside.leaseClient(config);
  shutdown.add('Lease client', () => leaseClient.close());
  const { creationTimeoutSeconds } = config.machine;
  registerWatcherMetrics(registry, { watchers, creationTimeoutSeconds });
  const members: WatcherFleet = {
    ...servers,
    config,
    createClient: outside.kubeClient,
    leaseClient,
    readQueue: briefly(queueStatusMs, () => readQueue(temporal, identity.taskQueue)),
    readActivityQueue: brieflyEach(queueStatusMs, (queue) =>
      readQueue(temporal, queue, 'activity'),
    ),
    turns: new FairTurns(config.concurrency.syncs),
    certificates,
    watchers,
    traces: traces?.signals,
  };
  return {
    serve: (attempt) => serveWatcher(members, attempt),
    whyNotReady() {
      const [only] = isFleet(config) ? [] : watchers.values();
      return only?.watcher.whyNotReady();
    },
    noteDatabase(id) {
      for (const { watcher } of watchers.values()) watcher.noteDatabase(id);
    },
  };
}
