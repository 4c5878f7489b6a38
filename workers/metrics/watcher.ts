/** What the watcher counts, for Prometheus. */
import type { Registry } from 'prom-client';
import type { Watcher, WatcherMetrics } from '../../watcher/index.ts';
import type { Members } from './per-namespace.ts';
import { registerNamespacedGauge } from './per-namespace.ts';

const numbers: Record<string, { help: string; of: (metrics: WatcherMetrics) => number }> = {
  leader: { help: '1 while this process leads.', of: ({ isLeader }) => Number(isLeader) },
  signals_sent: { help: 'Signals that arrived.', of: (m) => m.signalsSent },
  signals_dropped: { help: 'Signals to workflows that do not run.', of: (m) => m.signalsDropped },
  signals_merged: { help: 'Signals replaced by newer ones.', of: (m) => m.signalsMerged },
  signals_failed: { help: 'Attempts that failed and were repeated.', of: (m) => m.signalsFailed },
  signals_backlog: { help: 'Signals that have not arrived yet.', of: ({ backlog }) => backlog },
};

/** Read when they are asked for. */
export function registerWatcherMetrics(registry: Registry, watchers: Members<Watcher>): void {
  for (const [name, { help, of }] of Object.entries(numbers)) {
    registerNamespacedGauge(registry, watchers, {
      name: `millwright_watcher_${name}`,
      help,
      of: (watcher) => of(watcher.metrics()),
    });
  }
}
