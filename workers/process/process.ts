/** Common parts of our processes: flags, log, orderly end, HTTP port. */
import { flushCompileCache } from 'node:module';
import type { Command, Config } from '../config/config.ts';
import { ConfigError, readCommandLine } from '../config/config.ts';
import type { Component } from '../config/flags/flag.ts';
import { isNamedAsMcm } from '../config/mcm-name.ts';
import type { CertificateEnds } from './rotated-files.ts';
import { certificateEndsIn, filesReadOf, registerCertificateMetric } from './rotated-files.ts';
import { openHttpPort } from './http.ts';
import type { Logger } from '../log/logger.ts';
import { LevelSwitch, levelSignal } from '../log/level-switch.ts';
import { createLogger } from '../log/logger.ts';
import { secretValues } from '../../activities/redaction/secret-values.ts';
import type { Metrics } from '../metrics/registry.ts';
import { createMetrics } from '../metrics/registry.ts';
import { endWhenRotated, faultOfStart } from './rotated-files.ts';
import type { Tracing } from '../traces/tracing.ts';
import type { Shutdown } from './shutdown.ts';
import { createShutdown } from './shutdown.ts';

export interface Process {
  config: Config;
  log: Logger;
  shutdown: Shutdown;
  /** Certificates of the files that it has read. */
  certificates: CertificateEnds;
  /** Absent: there are no traces. */
  traces?: Tracing;
  /** Opens the port, which closes last. */
  openHttp(options: HttpOptions): Promise<Metrics>;
}

export interface HttpOptions {
  sdkMetricsUrl?: string;
  whyNotReady: () => string | undefined;
  /** Why a restart is asked for of one that stands in for MCM. Must not depend on Temporal. */
  leaderFault?: () => string | undefined;
}

/**
 * A small buffer that is kept, such as the last answer to each workflow task, keeps all of the pool
 * that it was cut from. In Node 24 a pool has 64 KiB; this is what it had before.
 */
const poolBytes = 8 * 1024;

/** Runs `main` with what the command line says, or prints why it cannot. */
export async function start(
  component: Component,
  main: (process: Process) => Promise<void>,
): Promise<void> {
  Buffer.poolSize = poolBytes;
  const command = commandOf(component);
  if (command.kind === 'print') {
    console.log(command.text);
    return;
  }
  const { config } = command;
  const { apiKey } = config.temporal.connection;
  if (typeof apiKey === 'string') secretValues.keep([apiKey]);
  const log = createLog(component, config.log);
  for (const { flag, reason } of config.noops) log.info({ flag, reason }, 'flag without effect');
  const certificates = certificateEndsIn(filesReadOf(config));
  const shutdown = createShutdown({ log, graceSeconds: config.shutdownGraceSeconds });
  try {
    const whyUnusable = (): string | undefined => faultOfStart(() => read(component));
    endWhenRotated({ config, log, shutdown, whyUnusable });
    const traces = await openTraces({ config, log, shutdown });
    await main({ config, log, shutdown, certificates, openHttp, ...(traces && { traces }) });
    // With NODE_COMPILE_CACHE. At its end would be too late: a process that is killed writes
    // nothing.
    flushCompileCache();
  } catch (err) {
    // Work that is under way when a signal ends the process fails on the way out.
    if (shutdown.signal.aborted) return;
    log.fatal({ err }, 'cannot start');
    shutdown.begin('cannot start', 1);
  }

  async function openHttp(options: HttpOptions): Promise<Metrics> {
    const { sdkMetricsUrl, leaderFault = () => undefined } = options;
    const metrics = createMetrics({ log, ...(sdkMetricsUrl !== undefined && { sdkMetricsUrl }) });
    registerCertificateMetric(metrics.registry, certificates);
    // Those who watch MCM restart it when it has no Lease, and count on that. Any other process is
    // not restarted, because that brings no leader back.
    const hasWatcher = component === 'watcher' || config.withWatcher;
    const isRestarted = config.isNamedAsMcm && hasWatcher;
    const isHealthy = (): boolean =>
      !shutdown.signal.aborted && !(isRestarted && leaderFault() !== undefined);
    const whyNotReady = (): string | undefined => options.whyNotReady() ?? leaderFault();
    const port = await openHttpPort({ ...config.http, metrics, isHealthy, whyNotReady, log });
    shutdown.add('HTTP port', () => port.close());
    return metrics;
  }
}

/** Loads the packages for traces only where these are on. */
async function openTraces({
  config: { traces, component, identity },
  log,
  shutdown,
}: Pick<Process, 'config' | 'log' | 'shutdown'>): Promise<Tracing | undefined> {
  if (traces === 'none') return undefined;
  const { openTracing } = await import('../traces/tracing.ts');
  const tracing = openTracing({ component, identity, env: process.env, log });
  shutdown.add('traces', () => tracing.close());
  return tracing;
}

/** Its level changes with a signal. */
function createLog(component: Component, settings: Config['log']): Logger {
  const levels = new LevelSwitch();
  const onChild = (child: Logger): void => levels.follow(child);
  const log = createLogger({ component, ...settings, onChild });
  process.on(levelSignal, () => levels.change(log, settings.level));
  return log;
}

function commandOf(component: Component): Command {
  try {
    return read(component);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

function read(component: Component): Command {
  const argv = process.argv.slice(2);
  const { env } = process;
  return readCommandLine({ component, argv, env, isNamedAsMcm: isNamedAsMcm(component) });
}
