/** What the watcher does from its start on: it signals what happens in both clusters. */
import type { Watcher } from '../watcher/index.ts';
import { startWatcher } from '../watcher/index.ts';
import { createKubeClients, untilTemporalAnswers, watchTemporal } from './kube/clients.ts';
import type { Outside } from './outside.ts';
import { claimantOf, untilClaimed } from './temporal/claims.ts';
import { untilIdentityKnown } from './temporal/identity.ts';
import { endLeftOverRuns } from './temporal/left-over-runs.ts';
import type { Leaderless } from './process/leaderless.ts';
import { watchLeader } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import { untilReached } from './process/reach.ts';
import type { TemporalReach } from './process/temporal-reach.ts';
import { withoutStop } from './process/stop-signs.ts';
import { registerWatcherMetrics } from './metrics/watcher.ts';

export async function runWatcher(
  { config, log, shutdown, openHttp }: Process,
  outside: Outside,
): Promise<void> {
  let watcher: Watcher | undefined;
  let leaderless: Leaderless | undefined;
  let reach: TemporalReach | undefined;
  const metrics = await openHttp({
    whyNotReady: () => whyNotReady(watcher) ?? reach?.fault(),
    leaderFault: () => leaderless?.fault(),
  });
  const waiting = { log, signal: shutdown.signal };

  const clients = createKubeClients(config, outside.kubeClient);
  shutdown.add('Kubernetes clients', () => clients.close());
  const identity = await untilIdentityKnown(clients, config, waiting);
  const temporal = await untilTemporalAnswers(config, waiting, outside.temporalClient);
  shutdown.add('Temporal client', () => temporal.connection.close());
  reach = watchTemporal(temporal, { config, shutdown });

  const { namespace, concurrency, leaderElection } = config;
  const claimant = claimantOf(config, identity);
  await untilClaimed(temporal, claimant, waiting);
  await untilReached({
    server: 'Temporal, for runs that are left over',
    attempt: () => endLeftOverRuns(temporal, claimant),
    ...waiting,
  });

  const leaseClient = outside.leaseClient(config);
  shutdown.add('Lease client', () => leaseClient.close());
  const started = await startWatcher({
    control: clients.control,
    target: clients.target,
    temporal,
    namespace,
    cluster: identity.cluster,
    clusterName: identity.clusterName,
    taskQueue: identity.taskQueue,
    concurrency: concurrency.syncs,
    timeouts: config.timeouts,
    creationTimeoutSeconds: config.machine.creationTimeoutSeconds,
    log,
    stop: withoutStop(config, log),
    leaderElection: {
      client: leaseClient,
      identity: config.identity,
      place: leaderElection,
      isElected: leaderElection.enabled,
      timing: {
        leaseDurationSeconds: leaderElection.leaseDurationSeconds,
        renewDeadlineMs: leaderElection.renewDeadlineSeconds * 1000,
        retryPeriodMs: leaderElection.retryPeriodSeconds * 1000,
      },
    },
  });
  watcher = started;
  shutdown.add('watcher', () => started.stop());
  registerWatcherMetrics(metrics.registry, started);
  leaderless = watchLeader(metrics.registry, started.hasLeader);
}

function whyNotReady(watcher: Watcher | undefined): string | undefined {
  if (!watcher) return 'waits for Kubernetes and Temporal';
  return watcher.whyNotReady();
}
