/** What the worker does from its start on: it runs the workflows and what they do, or a part. */
import { nowMs } from '../activities/system/system.ts';
import type { Waiting } from './kube/clients.ts';
import { createKubeClients, untilTemporalAnswers, watchTemporal } from './kube/clients.ts';
import { createEventRecorders } from './kube/event-recorders.ts';
import type { Leaderless } from './process/leaderless.ts';
import { watchLeader } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import { untilReached } from './process/reach.ts';
import { startChecks } from './checks/start-checks.ts';
import type { TemporalReach } from './process/temporal-reach.ts';
import { logStop, registerStopMetric, withoutStop } from './process/stop-signs.ts';
import type { WorkerFactory } from './temporal/worker-factory.ts';
import { startWorkers } from './temporal/workers.ts';
import type { CurrentVersion } from './temporal/current-version.ts';
import { watchVersion } from './temporal/current-version.ts';
import { workerVersionOf } from './temporal/worker-version.ts';
import { untilSearchAttributesKnown } from './temporal/search-attributes.ts';
import type { KubeClient } from '../activities/kube/client/client.ts';
import type { GlobalStop } from '../activities/kube/objects/global-stop.ts';
import { watchGlobalStop } from '../activities/kube/objects/global-stop.ts';
import type { ActiveWatcher } from '../activities/kube/leases/active-watcher.ts';
import { watchActiveWatcher } from '../activities/kube/leases/active-watcher.ts';
import { pausesUntil } from '../activities/kube/objects/pauses.ts';
import { claimantOf, untilClaimed } from './temporal/claims.ts';
import type { Outside } from './outside.ts';
import { untilIdentityKnown } from './temporal/identity.ts';

export async function runWorker(
  { config, log, shutdown, openHttp }: Process,
  outside: Outside,
): Promise<void> {
  const { metricsUrl } = await outside.installTemporalRuntime(log);
  let leaderless: Leaderless | undefined;
  let reach: TemporalReach | undefined;
  let currentVersion: CurrentVersion | undefined;
  let state = 'waits for Kubernetes and Temporal';
  const metrics = await openHttp({
    ...(metricsUrl !== undefined && { sdkMetricsUrl: metricsUrl }),
    whyNotReady: () => (state === '' ? (reach?.fault() ?? currentVersion?.fault()) : state),
    leaderFault: () => leaderless?.fault(),
  });
  const waiting = { log, signal: shutdown.signal };

  const clients = createKubeClients(config, outside.kubeClient);
  shutdown.add('Kubernetes clients', () => clients.close());
  const identity = await untilIdentityKnown(clients, config, waiting);
  const { registry } = metrics;
  const createClient = outside.eventClient;
  const events = createEventRecorders({ config, clients, log, registry, createClient });
  shutdown.add('Events', () => events.close());

  const temporal = await untilTemporalAnswers(config, waiting, outside.temporalClient);
  shutdown.add('Temporal client', () => temporal.connection.close());
  reach = watchTemporal(temporal, { config, shutdown });
  const { serves } = config;
  // Only workflows set them.
  const onMissing = (reason: string): void => void (state = reason);
  if (serves.core) await untilSearchAttributesKnown(temporal, { ...waiting, onMissing });
  await untilClaimed(temporal, claimantOf(config, identity), waiting);
  const factory = await untilConnected({ config, shutdown }, outside, waiting);

  const gates = watchGates({ config, log, shutdown }, clients.control);
  const { stop, activeWatcher } = gates;
  registerStopMetric(registry, stop);
  leaderless = watchLeader(registry, activeWatcher.isActive);
  state = 'reads the Lease millwright and the ConfigMap millwright-stop';
  await Promise.all([stop.synced, activeWatcher.synced]);

  const version = serves.core ? await workerVersionOf(config) : undefined;
  const workers = await startWorkers({
    config,
    log,
    clients,
    activeWatcher,
    stop,
    pauses: () => pausesUntil([...activeWatcher.pauses(), ...stop.pauses()], nowMs()),
    identity,
    version,
    temporal,
    factory,
    createDrivers: outside.createDrivers,
    copies: outside.copies,
    registry,
    shutdown,
  });
  void endWhenBroken(workers.failed, { log, shutdown });
  // Their workflows and activities are of the core.
  const { dependencies } = workers;
  const settings = { ...config, identity };
  if (serves.core) startChecks({ temporal, settings, dependencies, registry, ...waiting });
  const { taskQueue } = identity;
  // Only now: it has to poll before anybody can make it the current one.
  currentVersion = version && watchVersion(temporal, { version, taskQueue, ...waiting });
  state = '';
  log.info({ namespace: config.namespace, taskQueue, ...serves }, 'working');
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

/** What every activity that creates or destroys asks first. */
function watchGates(
  { config, log, shutdown }: Pick<Process, 'config' | 'log' | 'shutdown'>,
  client: KubeClient,
): { stop: GlobalStop; activeWatcher: ActiveWatcher } {
  const { namespace, leaderElection } = config;
  const stop = watchGlobalStop({
    client,
    namespace,
    onChange: (present) => logStop(log, namespace, present),
    onError: (err) => log.warn({ err }, 'the ConfigMap millwright-stop cannot be read'),
    ...withoutStop(config, log),
  });
  shutdown.add('global stop', () => stop.close());
  const activeWatcher = watchActiveWatcher({
    client,
    namespace,
    place: leaderElection,
    onError: (err) => log.warn({ err }, 'the Lease of the watcher cannot be read'),
  });
  shutdown.add('active watcher', () => activeWatcher.close());
  return { stop, activeWatcher };
}

async function endWhenBroken(
  failed: Promise<unknown>,
  { log, shutdown }: Pick<Process, 'log' | 'shutdown'>,
): Promise<void> {
  log.fatal({ err: await failed }, 'a worker failed');
  shutdown.begin('a worker failed', 1);
}
