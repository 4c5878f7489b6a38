/** How long the drains took that ended in this process. */
import type { Registry } from 'prom-client';
import { Histogram } from 'prom-client';
import { monotonicMs } from '../../activities/system/system.ts';
import { registerComputed } from './computed.ts';
import { poolLabel } from './pools.ts';

const results = ['drained', 'forced'] as const;

export interface DrainSeconds {
  seconds: number;
  result: (typeof results)[number];
  /** Labels of the Machine. */
  labels: Readonly<Record<string, string>>;
}

export interface DrainMetrics {
  /**
   * Begins the metrics of a namespace, until its scope ends. Returns what a drain calls at its end.
   */
  of(namespace: string, scope: NamespaceScope): (drain: DrainSeconds) => void;
}

interface NamespaceScope {
  /** Its series go with the rest of it. */
  add(name: string, stop: () => void): void;
}

/** A drain may take hours where a PodDisruptionBudget blocks it. */
const buckets = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400];

/** Another process may have ended a later one: a value that is older than this says nothing. */
const keptMs = 3_600_000;

interface Last {
  at: number;
  labels: { namespace: string; machine_deployment: string };
  value: number;
}

export function registerDrainMetrics(registry: Registry): DrainMetrics {
  const durations = new Histogram({
    name: 'millwright_drain_duration_seconds',
    help: 'From the deletion of a machine until its drain was over. forced: pods were deleted without asking their budgets.',
    labelNames: ['kube_namespace', 'result'],
    buckets,
    registers: [registry],
  });
  const last = new Map<string, Last>();
  registerComputed(
    registry,
    [
      {
        name: 'mcm_machine_drain_duration_seconds',
        type: 'gauge',
        help: 'How long the last drain of the pool took that ended in this process within the last hour.',
        labels: ['namespace', 'machine_deployment'],
        read: ({ at, labels, value }: Last) =>
          monotonicMs() - at > keptMs ? [] : [{ labels, value }],
      },
    ],
    () => last.values(),
  );
  return {
    of(namespace, scope) {
      let isServed = true;
      scope.add('metrics of drains', () => {
        isServed = false;
        for (const result of results) durations.remove({ kube_namespace: namespace, result });
        for (const [key, { labels }] of last) if (labels.namespace === namespace) last.delete(key);
      });
      return ({ seconds, result, labels }) => {
        // A drain that was under way would bring its series back for as long as the process runs.
        if (!isServed) return;
        durations.observe({ kube_namespace: namespace, result }, seconds);
        // MCM records nothing about a machine without the label.
        const pool = labels[poolLabel];
        if (pool === undefined) return;
        const key = { namespace, machine_deployment: pool };
        const value = Math.floor(seconds);
        last.set(JSON.stringify(key), { at: monotonicMs(), labels: key, value });
      };
    },
  };
}
