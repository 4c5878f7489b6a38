/** All metrics of watchers. */
import type { Registry } from 'prom-client';
import { nowMs } from '../../activities/system/system.ts';
import { doubtKinds } from '../../watcher/doubt.ts';
import type { Watcher } from '../../watcher/index.ts';
import type { Series } from './computed.ts';
import { registerComputed, registerComputedHistograms } from './computed.ts';
import type { Leading } from './leading.ts';
import { listedOf } from './leading.ts';
import { machineHistograms, machineSeries } from './machines.ts';
import { mcmMachineSeries } from './mcm-machines.ts';
import { mcmDeploymentSeries, mcmSetSeries } from './mcm-sets.ts';
import { termHistograms, termSeries } from './term.ts';
import type { TermRecorder } from './term-recorder.ts';

/** State of a process for one of its namespaces. */
export interface MeasuredWatcher {
  watcher: Pick<Watcher, 'isLeader' | 'term' | 'doubts'>;
  /** Recorder of the term that it leads or led last. */
  recorder(): TermRecorder | undefined;
}

export interface WatcherMetricsOptions {
  /** By namespace. */
  watchers: ReadonlyMap<string, MeasuredWatcher>;
  /** Where a Machine does not say it. */
  creationTimeoutSeconds: number;
}

type LeadingWatcher = [namespace: string, watcher: MeasuredWatcher];

const memberSeries: readonly Series<LeadingWatcher>[] = [
  {
    name: 'millwright_watcher_leader',
    type: 'gauge',
    help: '1 while this process leads, 0 while it stands by.',
    labels: ['kube_namespace'],
    read: ([namespace, { watcher }]) => [
      { labels: { kube_namespace: namespace }, value: Number(watcher.isLeader()) },
    ],
  },
  {
    name: 'millwright_watcher_history_lost_total',
    type: 'counter',
    help: 'Terms of this process that signalled everything anew. restored: etcd went back; target: that of a cluster with the Nodes alone did; forgotten: the API server did not know any more what had happened since; absent: no watcher led for long; late: the leader did not renew in time; lease: the Lease was deleted or edited; temporal: Temporal has another database; claims: runs of an install that was taken over took signals.',
    labels: ['kube_namespace', 'reason'],
    *read([namespace, { watcher }]) {
      for (const reason of doubtKinds) {
        const labels = { kube_namespace: namespace, reason };
        yield { labels, value: watcher.doubts.get(reason) ?? 0 };
      }
    },
  },
];

export function registerWatcherMetrics(registry: Registry, options: WatcherMetricsOptions): void {
  registerComputed(registry, memberSeries, () => options.watchers);
  registerLeadingMetrics(registry, options);
}

/** Registers the metrics of the watchers that lead. */
export function registerLeadingMetrics(
  registry: Registry,
  { watchers, creationTimeoutSeconds }: WatcherMetricsOptions,
): void {
  const leading = (): Leading[] =>
    [...watchers].flatMap(([namespace, { watcher, recorder: recorderOf }]) => {
      const term = watcher.term();
      const recorder = recorderOf();
      if (!term || !recorder) return [];
      return [{ namespace, term, recorder, creationTimeoutSeconds, now: nowMs() }];
    });
  registerComputed(registry, termSeries, leading);
  registerComputedHistograms(registry, [...termHistograms, ...machineHistograms], leading);
  registerComputed(
    registry,
    [...machineSeries, ...mcmMachineSeries, ...mcmSetSeries, ...mcmDeploymentSeries],
    () => listedOf(leading()),
  );
}
