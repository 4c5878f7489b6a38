/**
 * The worker from its start on: it runs workflows and activities, or a part of them, and the
 * watcher beside them where it is asked to.
 */
import type { StopView } from '../kube/objects/global-stop.ts';
import type { Registry } from 'prom-client';
import type { DrainWatches } from '../activities/drain/activity.ts';
import { WrittenMachines } from '../activities/runtime/written-machines.ts';
import { AwaitedNodes } from '../watcher/awaited-nodes.ts';
import { registerCheckMetrics } from './checks/check-metrics.ts';
import { keepRounds } from './checks/keep-schedules.ts';
import { Rounds } from './checks/rounds.ts';
import type { Config } from './config/config.ts';
import { Fleet, isFleet } from './fleet/fleet.ts';
import type { ProcessParts } from './fleet/namespace-parts.ts';
import { serveWorker } from './fleet/serve-worker.ts';
import { createServingApproval } from './fleet/serving-certificates.ts';
import { reportNotServed } from './fleet/report-not-served.ts';
import { databaseOf, waitsForServers, watchTemporal } from './kube/clients.ts';
import { closeDrainWatches, createDrainWatches } from './kube/drain-watches.ts';
import { registerDisruptionMetrics } from './metrics/disruptions.ts';
import { registerDrainMetrics } from './metrics/drains.ts';
import { Leaders } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import type { TemporalReach } from './process/temporal-reach.ts';
import { registerStopMetric } from './process/stop-signs.ts';
import type { WorkerOutside } from './outside.ts';
import { reachServers } from './reach-servers.ts';
import { untilConnected } from './temporal/connected.ts';
import { ServedDeletions } from './temporal/inline-deletions.ts';
import { createServiceProbes } from './temporal/poller-probe.ts';
import type { CurrentVersion } from './temporal/current-version.ts';
import { watchVersion } from './temporal/current-version.ts';
import { createProcessDrivers } from './temporal/process-drivers.ts';
import { untilSearchAttributesKnown } from './temporal/search-attributes.ts';
import { workerVersionOf } from './temporal/worker-version.ts';
import type { WorkerParts } from './temporal/workers.ts';
import { createDriverWorkers, createInterceptors, startWorkers } from './temporal/workers.ts';
import { ActivitiesByNamespace } from './temporal/activities-by-namespace.ts';
import type { WatcherRole } from './watcher-role.ts';
import { openWatcherRole } from './watcher-role.ts';

/** State of the process at its HTTP port. */
interface Signs {
  /** Empty: it works. */
  state: string;
  reach?: TemporalReach;
  leaders?: Leaders;
  version?: CurrentVersion | undefined;
  /** Absent: the watcher runs elsewhere. */
  watcher?: WatcherRole;
  fleet?: Fleet;
}

export async function runWorker(process: Process, outside: WorkerOutside): Promise<void> {
  const { config, log, shutdown, openHttp } = process;
  const { metricsUrl } = await outside.installTemporalRuntime(log);
  const signs: Signs = { state: waitsForServers };
  const { registry } = await openHttp({
    ...(metricsUrl !== undefined && { sdkMetricsUrl: metricsUrl }),
    whyNotReady: () =>
      signs.state === '' ? faultOf(signs) : (signs.fleet?.whyNotSettled() ?? signs.state),
    leaderFault: () => signs.leaders?.fault(),
  });
  const parts = await openProcess(process, outside, { registry, signs });
  const { taskQueue } = parts.identity;
  const version = config.serves.core ? await workerVersionOf(config) : undefined;
  const { control } = parts.clients;
  signs.fleet = new Fleet({
    config,
    control,
    log,
    registry,
    shutdown,
    async serve(attempt) {
      await serveWorker(parts, attempt);
      await signs.watcher?.serve(attempt);
    },
    onReason: (namespace, reason) => reportNotServed(control, config, { namespace, reason }),
  });
  await signs.fleet.settled();
  const started = await startWorkers({ ...process, ...parts, taskQueue, registry, version });
  void endWhenBroken(started.failed, { log, shutdown });
  // Only now: it has to poll before anybody can make it the current one.
  const { signal } = shutdown;
  signs.version = version && watchVersion(parts.temporal, { version, taskQueue, log, signal });
  if (config.serves.core) {
    const settings = { ...config, identity: parts.identity };
    keepRounds({ temporal: parts.temporal, settings, log, signal });
  }
  signs.state = '';
  log.info({ namespaces: config.namespaces, taskQueue, ...config.serves }, 'working');
}

function faultOf({ watcher, reach, fleet, version }: Signs): string | undefined {
  return watcher?.whyNotReady() ?? reach?.fault() ?? fleet?.fault() ?? version?.fault();
}

interface ProcessSigns {
  registry: Registry;
  signs: Signs;
}

/** Opens what all namespaces share; waits until it is there. */
async function openProcess(process: Process, outside: WorkerOutside, around: ProcessSigns) {
  const { config, log, shutdown, traces } = process;
  const { registry, signs } = around;
  const servers = await openServers(process, outside, around);
  const { clients, factory, identity, temporal } = servers;
  const { taskQueue } = identity;
  signs.state = 'reads the Lease millwright and the ConfigMap millwright-stop';
  signs.leaders = new Leaders(registry, { isFleet: isFleet(config) });
  let awaitedNodes: AwaitedNodes | undefined;
  if (config.withWatcher) {
    awaitedNodes = new AwaitedNodes(config.concurrency.syncs);
    const { leaders } = signs;
    const watched = { clients, identity, temporal, registry, leaders, awaitedNodes };
    signs.watcher = openWatcherRole(process, outside, watched);
  }
  const stops = new Map<string, StopView>();
  registerStopMetric(registry, stops);

  const activities = activitiesOf(config, identity.cluster, signs);
  const interceptors = createInterceptors(activities, { registry, log, traces });
  const { createDrivers, copies } = outside;
  const drivers = createProcessDrivers({ config, registry, log, createDrivers });
  // The rest of the slots is for drains that ask no cloud.
  const deletions = new ServedDeletions(Math.ceil(config.concurrency.syncs * 0.8));
  const shared = { config, log, taskQueue, factory, activities, interceptors, deletions };
  const driverWorkers = createDriverWorkers({ ...shared, drivers: drivers.shared });
  // A process may be asked to end while its drivers are loaded.
  shutdown.add('drivers', () => driverWorkers.stop());
  return {
    ...servers,
    config,
    createClient: outside.kubeClient,
    activities,
    interceptors,
    drivers,
    driverWorkers,
    deletions,
    services: createServiceProbes({ temporal, taskQueue, serves: config.serves }),
    drainWatches: watchesOfDrains(process, servers),
    copies,
    written: new WrittenMachines(),
    awaitedNodes,
    leaders: signs.leaders,
    stops,
    checkMetrics: registerCheckMetrics(registry),
    rounds: new Rounds(),
    drainMetrics: registerDrainMetrics(registry),
    disruptionMetrics: registerDisruptionMetrics(registry),
    serving: approvalOf(process, servers, registry),
  } satisfies ProcessParts & Pick<WorkerParts, 'factory' | 'interceptors'>;
}

async function openServers(
  process: Process,
  outside: WorkerOutside,
  { registry, signs }: ProcessSigns,
) {
  const { config, log, shutdown } = process;
  const onReason = (reason = waitsForServers): void => void (signs.state = reason);
  const waiting = { log, signal: shutdown.signal, onReason };
  const servers = await reachServers(process, outside, { registry, waiting });
  const { temporal } = servers;
  const database = { id: databaseOf(temporal) };
  const onDatabase = (id: string): void => {
    database.id = id;
    signs.watcher?.noteDatabase(id);
  };
  signs.reach = watchTemporal(temporal, { config, shutdown, registry, onDatabase });
  // Only workflows set them.
  if (config.serves.core) {
    await untilSearchAttributesKnown(temporal, {
      ...waiting,
      onMissing: (reason) => (signs.state = reason),
    });
  }
  const factory = await untilConnected({ config, shutdown }, outside, waiting);
  return { ...servers, database, factory };
}

function activitiesOf(
  { namespaces }: Config,
  cluster: string,
  signs: Signs,
): ActivitiesByNamespace {
  return new ActivitiesByNamespace({
    cluster,
    only: namespaces.kind === 'one' ? namespaces.name : undefined,
    mayBeOurs: (namespace) => signs.fleet?.mayBeOurs(namespace) ?? true,
    whyNotServed: (namespace) => signs.fleet?.whyNotServed(namespace),
  });
}

/** In the target cluster that all namespaces share. */
function watchesOfDrains(
  { config, log, shutdown }: Process,
  { clients: { target }, temporal }: Pick<ProcessParts, 'clients' | 'temporal'>,
): DrainWatches | undefined {
  if (!config.serves.drain || !target) return undefined;
  const watches = createDrainWatches(target, temporal, log);
  shutdown.add('watches of drains', () => closeDrainWatches(watches));
  return watches;
}

function approvalOf(
  { config, log, shutdown }: Process,
  { clients: { target } }: Pick<ProcessParts, 'clients'>,
  registry: Registry,
): ProcessParts['serving'] {
  const serving = createServingApproval({ config, log, registry, target });
  shutdown.add('serving certificates', () => serving?.shared?.close());
  return serving;
}

async function endWhenBroken(
  failed: Promise<unknown>,
  { log, shutdown }: Pick<Process, 'log' | 'shutdown'>,
): Promise<void> {
  log.fatal({ err: await failed }, 'a worker failed');
  shutdown.begin('a worker failed', 1);
}
