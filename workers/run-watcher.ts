/** The watcher from its start on: it signals what happens in both clusters. */
import { briefly, brieflyEach } from './fleet/briefly.ts';
import { FairTurns } from './fleet/fair-turns.ts';
import { Fleet, isFleet } from './fleet/fleet.ts';
import type { ServedWatcher, WatcherFleet } from './fleet/serve-watcher.ts';
import { serveWatcher } from './fleet/serve-watcher.ts';
import { reportNotServed } from './fleet/report-not-served.ts';
import {
  createKubeClients,
  untilTemporalAnswers,
  waitsForServers,
  watchTemporal,
} from './kube/clients.ts';
import type { Outside } from './outside.ts';
import { untilIdentityKnown } from './temporal/identity.ts';
import { readQueue } from './temporal/queue-status.ts';
import { Leaders } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import type { TemporalReach } from './process/temporal-reach.ts';
import { registerWatcherMetrics } from './metrics/watchers.ts';

/** Less than the time between two questions of one namespace. */
const queueStatusMs = 5_000;

export async function runWatcher(
  { config, log, shutdown, certificates, openHttp, traces }: Process,
  outside: Outside,
): Promise<void> {
  const isOfMany = isFleet(config);
  const watchers = new Map<string, ServedWatcher>();
  let leaders: Leaders | undefined;
  let reach: TemporalReach | undefined;
  let fleet: Fleet | undefined;
  let state = waitsForServers;
  const whyNotReady = (): string | undefined => {
    if (state !== '') return fleet?.whyNotSettled() ?? state;
    // That one of many namespaces is not heard of is no fault of the process.
    const [only] = isOfMany ? [] : watchers.values();
    return only?.watcher.whyNotReady() ?? reach?.fault() ?? fleet?.fault();
  };
  const metrics = await openHttp({ whyNotReady, leaderFault: () => leaders?.fault() });
  const { registry } = metrics;
  const onReason = (reason = waitsForServers): void => void (state = reason);
  const waiting = { log, signal: shutdown.signal, onReason };

  const clients = createKubeClients(config, outside.kubeClient);
  shutdown.add('Kubernetes clients', () => clients.close());
  const identity = await untilIdentityKnown(clients, config, waiting);
  const temporal = await untilTemporalAnswers(config, waiting, outside.temporalClient);
  shutdown.add('Temporal client', () => temporal.connection.close());
  const onDatabase = (id: string): void => {
    for (const { watcher } of watchers.values()) watcher.noteDatabase(id);
  };
  reach = watchTemporal(temporal, { config, shutdown, registry, onDatabase });
  const leaseClient = outside.leaseClient(config);
  shutdown.add('Lease client', () => leaseClient.close());

  leaders = new Leaders(registry, { isFleet: isOfMany });
  const { creationTimeoutSeconds } = config.machine;
  registerWatcherMetrics(registry, { watchers, creationTimeoutSeconds });
  const members: WatcherFleet = {
    config,
    clients,
    identity,
    createClient: outside.kubeClient,
    temporal,
    leaseClient,
    readQueue: briefly(queueStatusMs, () => readQueue(temporal, identity.taskQueue)),
    readActivityQueue: brieflyEach(queueStatusMs, (queue) =>
      readQueue(temporal, queue, 'activity'),
    ),
    turns: new FairTurns(config.concurrency.syncs),
    leaders,
    certificates,
    watchers,
    traces: traces?.signals,
  };
  fleet = new Fleet({
    config,
    control: clients.control,
    log,
    registry,
    shutdown,
    serve: (attempt) => serveWatcher(members, attempt),
    onReason: (namespace, reason) =>
      reportNotServed(clients.control, config, { namespace, reason }),
  });
  await fleet.settled();
  state = '';
}
