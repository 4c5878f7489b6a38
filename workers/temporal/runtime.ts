/** The Temporal SDK's native core: one per process, and in the worker only. */
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { after, monotonicMs } from '../../activities/system/system.ts';
import { RepeatedFailures } from '../log/repeated-failures.ts';
import { freeLoopbackPort } from '../process/http.ts';

const levels = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogEntry['level'], string>;

/** Of the SDK, of workflows and of activities. Failures of attempts are folded. */
export function entriesTo(
  log: Logger,
): (entry: Pick<LogEntry, 'level' | 'message' | 'meta'>) => void {
  const failures = new RepeatedFailures({
    write: (level, { message, fields }) => log[level](fields, message),
    now: monotonicMs,
    after: (milliseconds, action) => void after(milliseconds, action, { keepsAlive: false }),
  });
  return ({ level, message, meta = {} }) => {
    if (level === 'WARN') failures.take({ message, fields: meta });
    else log[levels[level]](meta, message);
  };
}

/**
 * Sends the SDK's log, that of workflows and that of activities to our logger, and serves the SDK's
 * metrics on a port of the loopback interface; returns their URL. To be called once, before any
 * connection or worker is made.
 */
export async function installTemporalRuntime(log: Logger): Promise<{ metricsUrl: string }> {
  const bindAddress = `127.0.0.1:${await freeLoopbackPort()}`;
  Runtime.install({
    // Our own logger knows the level, which may change.
    logger: new DefaultLogger('DEBUG', entriesTo(log)),
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
    // process/shutdown.ts stops the workers, in its order.
    shutdownSignals: [],
  });
  return { metricsUrl: `http://${bindAddress}/metrics` };
}
