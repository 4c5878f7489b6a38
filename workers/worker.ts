/** The worker: runs the workflows and everything that they do. */
import { createEventRecorders } from './kube/event-recorders.ts';
import type { Leaderless } from './process/leaderless.ts';
import { watchLeader } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import { start } from './process/process.ts';
import { untilReached } from './process/reach.ts';
import { ensureSchedules } from './temporal/schedules.ts';
import { logStop, registerStopMetric } from './process/stop-signs.ts';
import { startWorkers } from './temporal/workers.ts';
import { untilSearchAttributesKnown } from './temporal/search-attributes.ts';
import { watchGlobalStop } from '../activities/kube/objects/global-stop.ts';
import { watchActiveWatcher } from '../activities/kube/leases/active-watcher.ts';
import { pausesUntil } from '../activities/kube/objects/pauses.ts';
import { claimantOf, untilClaimed } from './temporal/claims.ts';
import { createKubeClients, untilTemporalAnswers } from './kube/clients.ts';
import { untilIdentityKnown } from './temporal/identity.ts';
import { installTemporalRuntime, untilNativeConnection } from './temporal/runtime.ts';
import { nowMs } from '../activities/system/system.ts';

await start('worker', async ({ config, log, shutdown, openHttp }) => {
  const { metricsUrl } = await installTemporalRuntime(log);
  let leaderless: Leaderless | undefined;
  let state = 'waits for Kubernetes and Temporal';
  const metrics = await openHttp({
    sdkMetricsUrl: metricsUrl,
    whyNotReady: () => (state === '' ? undefined : state),
    leaderFault: () => leaderless?.fault(),
  });
  const waiting = { log, signal: shutdown.signal };

  const clients = createKubeClients(config);
  shutdown.add('Kubernetes clients', () => clients.close());
  const identity = await untilIdentityKnown(clients, config, waiting);
  const events = createEventRecorders({ config, clients, log, registry: metrics.registry });
  shutdown.add('Events', () => events.close());

  const temporal = await untilTemporalAnswers(config, waiting);
  shutdown.add('Temporal client', () => temporal.connection.close());
  await untilSearchAttributesKnown(temporal, {
    ...waiting,
    onMissing: (reason) => (state = reason),
  });
  await untilClaimed(temporal, claimantOf(config, identity), waiting);
  const connection = await untilNativeConnection(config, waiting);
  shutdown.add('Temporal connection', () => connection.close());

  const stop = watchGlobalStop({
    client: clients.control,
    namespace: config.namespace,
    onChange: (present) => logStop(log, config.namespace, present),
    onError: (err) => log.warn({ err }, 'the ConfigMap millwright-stop cannot be read'),
  });
  shutdown.add('global stop', () => stop.close());
  registerStopMetric(metrics.registry, stop);
  const activeWatcher = watchActiveWatcher({
    client: clients.control,
    namespace: config.namespace,
    resourceNamespace: config.leaderElection.resourceNamespace,
    onError: (err) => log.warn({ err }, 'the Lease of the watcher cannot be read'),
  });
  shutdown.add('active watcher', () => activeWatcher.close());
  leaderless = watchLeader(metrics.registry, activeWatcher.isActive);
  state = 'reads the Lease millwright and the ConfigMap millwright-stop';
  await Promise.all([stop.synced, activeWatcher.synced]);

  const workers = await startWorkers({
    config,
    log,
    clients,
    activeWatcher,
    stop,
    pauses: () => pausesUntil([...activeWatcher.pauses(), ...stop.pauses()], nowMs()),
    identity,
    temporal,
    connection,
    registry: metrics.registry,
    shutdown,
  });
  void endWhenBroken(workers.failed, { log, shutdown });
  // Machines do not wait for it. It fails only when the process ends before it is done.
  void untilReached({
    server: 'Temporal, for the schedules of the safety checks',
    attempt: () => ensureSchedules(temporal, { ...config, identity }, log),
    ...waiting,
  }).catch(() => undefined);
  state = '';
  log.info({ namespace: config.namespace, taskQueue: identity.taskQueue }, 'working');
});

async function endWhenBroken(
  failed: Promise<unknown>,
  { log, shutdown }: Pick<Process, 'log' | 'shutdown'>,
): Promise<void> {
  log.fatal({ err: await failed }, 'a worker failed');
  shutdown.begin('a worker failed', 1);
}
