/** The worker from its start on: it runs workflows and activities, or a part of them. */
import type { StopView } from '../kube/objects/global-stop.ts';
import type { Registry } from 'prom-client';
import type { DrainWatches } from '../activities/index.ts';
import { registerProbeMetrics } from './checks/probe-metrics.ts';
import type { Config } from './config/config.ts';
import { Fleet, isFleet } from './fleet/fleet.ts';
import type { WorkerFleet } from './fleet/serve-worker.ts';
import { serveWorker } from './fleet/serve-worker.ts';
import { reportNotServed } from './fleet/report-not-served.ts';
import type { Waiting } from './kube/clients.ts';
import {
  createKubeClients,
  databaseOf,
  untilTemporalAnswers,
  waitsForServers,
  watchTemporal,
} from './kube/clients.ts';
import { closeDrainWatches, createDrainWatches } from './kube/drain-watches.ts';
import { createEventRecorders } from './kube/event-recorders.ts';
import { registerDrainMetrics } from './metrics/drains.ts';
import { Leaders } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import { untilReached } from './process/reach.ts';
import type { TemporalReach } from './process/temporal-reach.ts';
import { registerStopMetric } from './process/stop-signs.ts';
import type { WorkerOutside } from './outside.ts';
import { untilIdentityKnown } from './temporal/identity.ts';
import { ServedDeletions } from './temporal/inline-deletions.ts';
import { createServiceProbes } from './temporal/poller-probe.ts';
import type { CurrentVersion } from './temporal/current-version.ts';
import { watchVersion } from './temporal/current-version.ts';
import { createProcessDrivers } from './temporal/process-drivers.ts';
import { untilSearchAttributesKnown } from './temporal/search-attributes.ts';
import type { WorkerFactory } from './temporal/worker-factory.ts';
import type { WorkerVersion } from './temporal/worker-version.ts';
import { workerVersionOf } from './temporal/worker-version.ts';
import { createDriverWorkers, createInterceptors, startWorkers } from './temporal/workers.ts';
import { Worlds } from './temporal/worlds.ts';

/** State of the process at its HTTP port. */
interface Signs {
  /** Empty: it works. */
  state: string;
  reach?: TemporalReach;
  leaders?: Leaders;
  version?: CurrentVersion | undefined;
  fleet?: Fleet;
}

export async function runWorker(process: Process, outside: WorkerOutside): Promise<void> {
  const { config, log, shutdown, openHttp, traces } = process;
  const { metricsUrl } = await outside.installTemporalRuntime(log);
  const signs: Signs = { state: waitsForServers };
  const { registry } = await openHttp({
    ...(metricsUrl !== undefined && { sdkMetricsUrl: metricsUrl }),
    whyNotReady: () =>
      signs.state === ''
        ? (signs.reach?.fault() ?? signs.fleet?.fault() ?? signs.version?.fault())
        : (signs.fleet?.whyNotSettled() ?? signs.state),
    leaderFault: () => signs.leaders?.fault(),
  });
  const servers = await reachServers(process, outside, { registry, signs });
  const { taskQueue } = servers.identity;
  signs.state = 'reads the Lease millwright and the ConfigMap millwright-stop';
  const isOfMany = isFleet(config);
  const leaders = new Leaders(registry, { isFleet: isOfMany });
  signs.leaders = leaders;
  const stops = new Map<string, StopView>();
  registerStopMetric(registry, stops);

  const worlds = createWorlds(config, servers.identity.cluster, signs);
  const { createDrivers, copies } = outside;
  const drivers = createProcessDrivers({ config, registry, log, createDrivers });
  // The rest of the slots is for drains that ask no cloud.
  const deletions = new ServedDeletions(Math.ceil(config.concurrency.syncs * 0.8));
  const interceptors = createInterceptors(worlds, { registry, log, traces });
  const { factory } = servers;
  const workerParts = { config, log, taskQueue, factory, worlds, interceptors, shutdown, traces };
  const driverWorkers = createDriverWorkers({ ...workerParts, drivers: drivers.shared, deletions });
  // A process may be asked to end while its drivers are loaded.
  shutdown.add('drivers', () => driverWorkers.stop());

  const { serves } = config;
  const version = serves.core ? await workerVersionOf(config) : undefined;
  const members: WorkerFleet = {
    ...servers,
    config,
    createClient: outside.kubeClient,
    worlds,
    drivers,
    driverWorkers,
    deletions,
    services: createServiceProbes({ temporal: servers.temporal, taskQueue, serves }),
    drainWatches: watchesOfDrains(process, servers),
    copies,
    leaders,
    stops,
    probeMetrics: registerProbeMetrics(registry),
    drainMetrics: registerDrainMetrics(registry),
  };
  const { control } = servers.clients;
  signs.fleet = new Fleet({
    config,
    control,
    log,
    registry,
    shutdown,
    serve: (attempt) => serveWorker(members, attempt),
    onReason: (namespace, reason) => reportNotServed(control, config, { namespace, reason }),
  });
  await signs.fleet.settled();
  const started = await startWorkers({ ...workerParts, driverWorkers, registry, version });
  void endWhenBroken(started.failed, { log, shutdown });
  // Only now: it has to poll before anybody can make it the current one.
  signs.version = watchCurrent(servers, { version, log, shutdown });
  signs.state = '';
  log.info({ namespaces: config.namespaces, taskQueue, ...serves }, 'working');
}

function watchCurrent(
  { temporal, identity: { taskQueue } }: Servers,
  {
    version,
    log,
    shutdown: { signal },
  }: Pick<Process, 'log' | 'shutdown'> & { version: WorkerVersion | undefined },
): CurrentVersion | undefined {
  return version && watchVersion(temporal, { version, taskQueue, log, signal });
}

type Servers = Pick<WorkerFleet, 'clients' | 'identity' | 'events' | 'temporal' | 'database'> & {
  factory: WorkerFactory;
};

/** Connects to the servers that all namespaces share; waits until they answer. */
async function reachServers(
  { config, log, shutdown }: Process,
  outside: WorkerOutside,
  { registry, signs }: { registry: Registry; signs: Signs },
): Promise<Servers> {
  const onReason = (reason = waitsForServers): void => void (signs.state = reason);
  const waiting = { log, signal: shutdown.signal, onReason };
  const clients = createKubeClients(config, outside.kubeClient);
  shutdown.add('Kubernetes clients', () => clients.close());
  const identity = await untilIdentityKnown(clients, config, waiting);
  const createClient = outside.eventClient;
  const events = createEventRecorders({ config, clients, log, registry, createClient });
  shutdown.add('Events', () => events.close());
  const temporal = await untilTemporalAnswers(config, waiting, outside.temporalClient);
  shutdown.add('Temporal client', () => temporal.connection.close());
  const database = { id: databaseOf(temporal) };
  const onDatabase = (id: string): void => void (database.id = id);
  signs.reach = watchTemporal(temporal, { config, shutdown, registry, onDatabase });
  // Only workflows set them.
  if (config.serves.core) {
    await untilSearchAttributesKnown(temporal, {
      ...waiting,
      onMissing: (reason) => (signs.state = reason),
    });
  }
  const factory = await untilConnected({ config, shutdown }, outside, waiting);
  return { clients, identity, events, temporal, database, factory };
}

function createWorlds({ namespaces }: Config, cluster: string, signs: Signs): Worlds {
  return new Worlds({
    cluster,
    only: namespaces.kind === 'one' ? namespaces.name : undefined,
    mayBeOurs: (namespace) => signs.fleet?.mayBeOurs(namespace) ?? true,
    whyNotServed: (namespace) => signs.fleet?.whyNotServed(namespace),
  });
}

/** In the target cluster that all namespaces share. */
function watchesOfDrains(
  { config, log, shutdown }: Process,
  { clients: { target }, temporal }: Servers,
): DrainWatches | undefined {
  if (!config.serves.drain || !target) return undefined;
  const watches = createDrainWatches(target, temporal, log);
  shutdown.add('watches of drains', () => closeDrainWatches(watches));
  return watches;
}

/** The workers have a connection of their own. */
async function untilConnected(
  { config, shutdown }: Pick<Process, 'config' | 'shutdown'>,
  { workerFactory }: WorkerOutside,
  waiting: Waiting,
): Promise<WorkerFactory> {
  const factory = await untilReached({
    server: `Temporal at ${config.temporal.address} (worker)`,
    attempt: () => workerFactory(config),
    ...waiting,
  });
  shutdown.add('Temporal connection', () => factory.close());
  return factory;
}

async function endWhenBroken(
  failed: Promise<unknown>,
  { log, shutdown }: Pick<Process, 'log' | 'shutdown'>,
): Promise<void> {
  log.fatal({ err: await failed }, 'a worker failed');
  shutdown.begin('a worker failed', 1);
}
