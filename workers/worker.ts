/** The worker: runs the workflows and everything that they do. */
import { start } from './process.ts';
import { untilReached } from './reach.ts';
import { ensureSchedules } from './schedules.ts';
import { startWorkers } from './temporal-workers.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import { createLicence } from '../activities/kube/licence.ts';
import { createKubeClients, untilClustersAnswer, untilTemporalAnswers } from './clients.ts';
import { installTemporalRuntime, untilNativeConnection } from './temporal-runtime.ts';

await start('worker', async ({ config, log, shutdown, openHttp }) => {
  const { metricsUrl } = await installTemporalRuntime(log);
  let state = 'waits for Kubernetes and Temporal';
  await openHttp({
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

  const licence = createLicence({
    client: clients.control,
    namespace: config.namespace,
    onError: (err) => log.warn({ err }, 'the Lease of the watcher cannot be read'),
  });
  shutdown.add('licence', () => licence.close());

  const workers = await startWorkers({ config, log, clients, licence, temporal, connection });
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
