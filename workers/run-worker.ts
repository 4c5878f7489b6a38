/** What the worker does from its start on: it runs the workflows and what they do, or a part. */
import { ownLeaseOf } from '../activities/kube/leases/lease-set.ts';
import { recordEvent } from '../activities/kube/objects/events.ts';
import type { StopView } from '../activities/kube/objects/global-stop.ts';
import type { KubeClient } from '../activities/kube/client/client.ts';
import { registerProbeMetrics } from './checks/probe-metrics.ts';
import type { Config } from './config/config.ts';
import { Fleet, isFleet } from './fleet/fleet.ts';
import type { WorkerFleet } from './fleet/serve-worker.ts';
import { serveWorker } from './fleet/serve-worker.ts';
import type { Waiting } from './kube/clients.ts';
import { createKubeClients, untilTemporalAnswers, watchTemporal } from './kube/clients.ts';
import { closeDrainWatches, createDrainWatches } from './kube/drain-watches.ts';
import { createEventRecorders } from './kube/event-recorders.ts';
import { Leaders } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import { untilReached } from './process/reach.ts';
import type { TemporalReach } from './process/temporal-reach.ts';
import { registerStopMetric } from './process/stop-signs.ts';
import type { Outside } from './outside.ts';
import { untilIdentityKnown } from './temporal/identity.ts';
import { ServedDeletions } from './temporal/inline-deletions.ts';
import { createServiceProbes } from './temporal/poller-probe.ts';
import { createProcessDrivers } from './temporal/process-drivers.ts';
import { untilSearchAttributesKnown } from './temporal/search-attributes.ts';
import type { WorkerFactory } from './temporal/worker-factory.ts';
import { createDriverWorkers, createInterceptors, startWorkers } from './temporal/workers.ts';
import { Worlds } from './temporal/worlds.ts';

export async function runWorker(
  { config, log, shutdown, openHttp }: Process,
  outside: Outside,
): Promise<void> {
  const { metricsUrl } = await outside.installTemporalRuntime(log);
  let leaders: Leaders | undefined;
  let reach: TemporalReach | undefined;
  let fleet: Fleet | undefined;
  let state = 'waits for Kubernetes and Temporal';
  const metrics = await openHttp({
    ...(metricsUrl !== undefined && { sdkMetricsUrl: metricsUrl }),
    whyNotReady: () => (state === '' ? (reach?.fault() ?? fleet?.fault()) : state),
    leaderFault: () => leaders?.fault(),
  });
  const { registry } = metrics;
  const waiting = { log, signal: shutdown.signal };

  const clients = createKubeClients(config, outside.kubeClient);
  shutdown.add('Kubernetes clients', () => clients.close());
  const identity = await untilIdentityKnown(clients, config, waiting);
  const createClient = outside.eventClient;
  const events = createEventRecorders({ config, clients, log, registry, createClient });
  shutdown.add('Events', () => events.close());

  const temporal = await untilTemporalAnswers(config, waiting, outside.temporalClient);
  shutdown.add('Temporal client', () => temporal.connection.close());
  reach = watchTemporal(temporal, { config, shutdown });
  const { serves } = config;
  // Only workflows set them.
  if (serves.core) {
    await untilSearchAttributesKnown(temporal, {
      ...waiting,
      onMissing: (reason) => (state = reason),
    });
  }
  const factory = await untilConnected({ config, shutdown }, outside, waiting);

  state = 'reads the Lease millwright and the ConfigMap millwright-stop';
  const isOfMany = isFleet(config);
  leaders = new Leaders(registry, { isFleet: isOfMany });
  const stops = new Map<string, StopView>();
  registerStopMetric(registry, { isFleet: isOfMany, all: stops });
  const drainWatches =
    serves.drain && clients.target ? createDrainWatches(clients.target, temporal, log) : undefined;
  if (drainWatches) shutdown.add('watches of drains', () => closeDrainWatches(drainWatches));

  const { namespaces } = config;
  const worlds = new Worlds({
    cluster: identity.cluster,
    only: namespaces.kind === 'one' ? namespaces.name : undefined,
    mayBeOurs: (namespace) => fleet?.mayBeOurs(namespace) ?? true,
    whyNotServed: (namespace) => fleet?.whyNotServed(namespace),
  });
  const { createDrivers, copies } = outside;
  const drivers = createProcessDrivers({ config, registry, log, createDrivers });
  // The rest of the slots is for drains that ask no cloud.
  const deletions = new ServedDeletions(Math.ceil(config.concurrency.syncs * 0.8));
  const { taskQueue } = identity;
  const interceptors = createInterceptors(worlds, { registry, log });
  const workerParts = { config, log, taskQueue, factory, worlds, interceptors, shutdown };
  const driverWorkers = createDriverWorkers({ ...workerParts, drivers: drivers.shared, deletions });
  // A process may be asked to end while its drivers are loaded.
  shutdown.add('drivers', () => driverWorkers.stop());

  const members: WorkerFleet = {
    config,
    clients,
    identity,
    createClient: outside.kubeClient,
    temporal,
    worlds,
    drivers,
    driverWorkers,
    deletions,
    services: createServiceProbes({ temporal, taskQueue, serves }),
    events,
    drainWatches,
    copies,
    leaders,
    stops,
    probeMetrics: registerProbeMetrics(registry),
  };
  fleet = new Fleet({
    config,
    control: clients.control,
    log,
    registry,
    shutdown,
    serve: (attempt) => serveWorker(members, attempt),
    onReason: (namespace, reason) => tellNamespace(clients.control, config, { namespace, reason }),
  });
  await fleet.settled();
  const workers = await startWorkers({ ...workerParts, driverWorkers });
  void endWhenBroken(workers.failed, { log, shutdown });
  state = '';
  log.info({ namespaces, taskQueue, ...serves }, 'working');
}

/** The workers have a connection of their own. */
async function untilConnected(
  { config, shutdown }: Pick<Process, 'config' | 'shutdown'>,
  { workerFactory }: Outside,
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

/** Its users see no log of the fleet: an Event in the namespace says why nothing happens there. */
function tellNamespace(
  control: KubeClient,
  { leaderElection }: Pick<Config, 'leaderElection'>,
  { namespace, reason }: { namespace: string; reason: string | undefined },
): void {
  if (reason === undefined) return;
  const lease = ownLeaseOf(namespace, leaderElection.resourceNamespace);
  const subject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease, namespace };
  recordEvent(
    control,
    { ...subject, uid: '' },
    {
      type: 'Warning',
      reason: 'NamespaceNotServed',
      message: `Millwright does not serve namespace ${namespace}: ${reason}`,
      component: 'millwright',
    },
  );
}

async function endWhenBroken(
  failed: Promise<unknown>,
  { log, shutdown }: Pick<Process, 'log' | 'shutdown'>,
): Promise<void> {
  log.fatal({ err: await failed }, 'a worker failed');
  shutdown.begin('a worker failed', 1);
}
