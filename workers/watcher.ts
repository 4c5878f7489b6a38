/** The watcher: tells the workflows what happens in both clusters. */
import type { Watcher } from '../watcher/index.ts';
import { startWatcher } from '../watcher/index.ts';
import {
  createKubeClients,
  createLeaseClientOf,
  untilClustersAnswer,
  untilTemporalAnswers,
} from './clients.ts';
import { start } from './process.ts';
import { registerWatcherMetrics } from './watcher-metrics.ts';

await start('watcher', async ({ config, log, shutdown, openHttp }) => {
  let watcher: Watcher | undefined;
  const metrics = await openHttp({ whyNotReady: () => whyNotReady(watcher) });
  const waiting = { log, signal: shutdown.signal };

  const clients = createKubeClients(config);
  shutdown.add('Kubernetes clients', () => clients.close());
  const { cluster } = await untilClustersAnswer(clients, waiting);
  const temporal = await untilTemporalAnswers(config, waiting);
  shutdown.add('Temporal client', () => temporal.connection.close());

  const { namespace, taskQueue, identity, leaderElection } = config;
  const leaseClient = createLeaseClientOf(config);
  shutdown.add('Lease client', () => leaseClient.close());
  const started = await startWatcher({
    control: clients.control,
    target: clients.target,
    temporal,
    namespace,
    taskQueue,
    cluster,
    log,
    leaderElection: leaderElection.enabled && {
      client: leaseClient,
      identity,
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
});

function whyNotReady(watcher: Watcher | undefined): string | undefined {
  if (!watcher) return 'waits for Kubernetes and Temporal';
  return watcher.isReady() ? undefined : (watcher.obstacle() ?? 'lists objects');
}
