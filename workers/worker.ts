/** The worker: runs the workflows and everything that they do. */
import { start } from './process.ts';
import { untilReached } from './reach.ts';
import { ensureSchedules } from './schedules.ts';
import { logStop, registerStopMetric } from './stop-signs.ts';
import { startWorkers } from './temporal-workers.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import { watchGlobalStop } from '../activities/kube/global-stop.ts';
import { createLicence } from '../activities/kube/licence.ts';
import { createKubeClients, untilClustersAnswer, untilTemporalAnswers } from './clients.ts';
import { installTemporalRuntime, untilNativeConnection } from './temporal-runtime.ts';

await start('worker', async ({ config, log, shutdown, openHttp }) => {
  const { metricsUrl } = await installTemporalRuntime(log);
  let state = 'waits for Kubernetes and Temporal';
  const metrics = await openHttp({
    sdkMetricsUrl: metricsUrl,
    whyNotReady: () => (state === '' ? undefined : state),
  });
  const waiting = { log, signal: shutdown.signal };

  const clients = createKubeClients(config);
  shutdown.add('Kubernetes clients', () => clients.close());
  const { cluster } = await untilClustersAnswer(clients, waiting);

  const temporal = await untilTemporalAnswers(config, waiting);
  shutdown.add('Temporal client', () => temporal.connection.close());
  await ensureSearchAttributes(temporal, log);
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
  const licence = createLicence({
    client: clients.control,
    namespace: config.namespace,
    onLastStop: stop.note,
    onError: (err) => log.warn({ err }, 'the Lease of the watcher cannot be read'),
  });
  shutdown.add('licence', () => licence.close());
  state = 'reads the Lease millwright and the ConfigMap millwright-stop';
  await Promise.all([stop.synced, licence.synced]);

  const workers = await startWorkers({
    config,
    log,
    clients,
    licence,
    stop,
    cluster,
    temporal,
    connection,
    registry: metrics.registry,
  });
  shutdown.add('workers', () => workers.stop());
  void endWhenBroken(workers.failed);
  // Machines do not wait for it. It fails only when the process ends before it is done.
  void untilReached({
    server: 'Temporal, for the schedules of the safety checks',
    attempt: () => ensureSchedules(temporal, { ...config, cluster }, log),
    ...waiting,
  }).catch(() => undefined);
  state = '';
  log.info({ namespace: config.namespace, taskQueue: config.taskQueue }, 'working');

  async function endWhenBroken(failed: Promise<unknown>): Promise<void> {
    log.fatal({ err: await failed }, 'a worker failed');
    shutdown.begin('a worker failed', 1);
  }
});
