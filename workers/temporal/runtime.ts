/** The Temporal SDK's native core: one per process, and in the worker only. */
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { freeLoopbackPort } from '../process/http.ts';

const levels = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogEntry['level'], string>;

/**
 * Sends the SDK's log, that of workflows and that of activities to our logger, and serves the SDK's
 * metrics on a port of the loopback interface; returns their URL. To be called once, before any
 * connection or worker is made.
 */
export async function installTemporalRuntime(log: Logger): Promise<{ metricsUrl: string }> {
  const bindAddress = `127.0.0.1:${await freeLoopbackPort()}`;
  Runtime.install({
    logger: new DefaultLogger(log.isLevelEnabled('debug') ? 'DEBUG' : 'INFO', (entry) =>
      log[levels[entry.level]](entry.meta ?? {}, entry.message),
    ),
    telemetryOptions: {
      // The core logs every lost connection and retry at WARN; below that it is of use to its
      // authors only.
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      metrics: {
        prometheus: {
          bindAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      },
    },
    // shutdown.ts stops the workers, in its order.
    shutdownSignals: [],
  });
  return { metricsUrl: `http://${bindAddress}/metrics` };
}
