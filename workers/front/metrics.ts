/** Metrics of the front. */
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { FrontWatcher } from '../../watcher/front/index.ts';
import type { SyncOutcome } from '../../workflows/contracts/front-activities.ts';
import { registerComputed } from '../metrics/computed.ts';

export interface FrontMetrics {
  /** A pass ended so. */
  passed(namespace: string, outcome: SyncOutcome): void;
  failed(namespace: string): void;
}

/** `watchers`: by namespace. */
export function registerFrontMetrics(
  registry: Registry,
  watchers: ReadonlyMap<string, Pick<FrontWatcher, 'isLeader' | 'oldestPendingSeconds'>>,
): FrontMetrics {
  const passes = new Counter({
    name: 'millwright_front_passes_total',
    help: 'Passes over a MachineDeployment of cluster.k8s.io, by what they ended with: current, waits, notServed, gone or failed.',
    labelNames: ['kube_namespace', 'outcome'],
    registers: [registry],
  });
  const writes = new Counter({
    name: 'millwright_front_writes_total',
    help: 'Writes of these passes, on both sides.',
    labelNames: ['kube_namespace'],
    registers: [registry],
  });
  registerComputed(
    registry,
    [
      {
        name: 'millwright_front_leading',
        type: 'gauge',
        help: '1 while this front watches the namespace, 0 while it stands by.',
        labels: ['kube_namespace'],
        read: ([kube_namespace, watcher]) => [
          { labels: { kube_namespace }, value: Number(watcher.isLeader()) },
        ],
      },
      {
        name: 'millwright_front_pending_seconds',
        type: 'gauge',
        help: 'For how long the oldest change of a MachineDeployment has waited for its signal; 0: none waits.',
        labels: ['kube_namespace'],
        read: ([kube_namespace, watcher]) => [
          { labels: { kube_namespace }, value: watcher.oldestPendingSeconds() },
        ],
      },
    ],
    () => watchers,
  );
  return {
    passed(kube_namespace, outcome) {
      passes.inc({ kube_namespace, outcome: outcome.state });
      writes.inc({ kube_namespace }, outcome.writes);
    },
    failed: (kube_namespace) => passes.inc({ kube_namespace, outcome: 'failed' }),
  };
}
