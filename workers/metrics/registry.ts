import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Logger } from 'pino';
import { timeoutSignal } from '../../activities/system/system.ts';

export interface Metrics {
  /** Counters, gauges and histograms of ours are registered here. */
  registry: Registry;
  contentType: string;
  /** Everything as Prometheus reads it. */
  text(): Promise<string>;
}

export interface MetricsOptions {
  log: Logger;
  /** Where the Temporal SDK serves its own metrics; they are added to ours. */
  sdkMetricsUrl?: string;
}

/**
 * CPU, memory, garbage collection and event loop of the process, under the names of Prometheus'
 * clients.
 */
export function createMetrics({ log, sdkMetricsUrl }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  async function sdkMetrics(): Promise<string> {
    if (sdkMetricsUrl === undefined) return '';
    try {
      const answer = await fetch(sdkMetricsUrl, { signal: timeoutSignal(2_000) });
      return await answer.text();
    } catch (err) {
      log.warn({ err, url: sdkMetricsUrl }, 'metrics of the Temporal SDK cannot be read');
      return '';
    }
  }

  return {
    registry,
    contentType: registry.contentType,
    text: async () => (await Promise.all([registry.metrics(), sdkMetrics()])).join('\n'),
  };
}
