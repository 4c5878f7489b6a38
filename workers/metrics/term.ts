/** Metrics of a watcher while it leads. */
import type { SourceState, TermView } from '../../watcher/term.ts';
import type { HistogramSeries, Sample, Series } from './computed.ts';
import type { Leading } from './leading.ts';
import { mcmQueueOf } from './term-recorder.ts';

function signalSeries(name: keyof TermView['signals'], help: string): Series<Leading> {
  return {
    name: `millwright_watcher_signals_${name}_total`,
    type: 'counter',
    help,
    labels: ['kube_namespace'],
    read: ({ namespace, term }) => [
      { labels: { kube_namespace: namespace }, value: term.signals[name] },
    ],
  };
}

function sourceSeries(
  series: Pick<Series<Leading>, 'name' | 'type' | 'help'>,
  of: (state: SourceState) => number,
): Series<Leading> {
  return {
    ...series,
    labels: ['kube_namespace', 'source'],
    *read({ namespace, term }) {
      for (const [source, state] of term.sources)
        yield { labels: { kube_namespace: namespace, source }, value: of(state) };
    },
  };
}

export const termSeries: readonly Series<Leading>[] = [
  signalSeries('sent', 'Signals that arrived in this term.'),
  signalSeries('dropped', 'Signals to workflows that do not run.'),
  signalSeries('merged', 'Signals that newer ones replaced before they were sent.'),
  signalSeries('failed', 'Attempts to send that failed and were repeated.'),
  {
    name: 'millwright_watcher_signals_backlog',
    type: 'gauge',
    help: 'Signals that have not arrived yet.',
    labels: ['kube_namespace'],
    read: ({ namespace, term }) => [
      {
        labels: { kube_namespace: namespace },
        value: [...term.backlog().values()].reduce((sum, size) => sum + size, 0),
      },
    ],
  },
  sourceSeries(
    {
      name: 'millwright_watcher_source_synced',
      type: 'gauge',
      help: '1 while the resource is listed and its watch does not fail again and again.',
    },
    ({ isSynced }) => Number(isSynced),
  ),
  sourceSeries(
    {
      name: 'millwright_watcher_source_restarts_total',
      type: 'counter',
      help: 'Lists and watches of the resource that broke.',
    },
    ({ restarts }) => restarts,
  ),
  sourceSeries(
    {
      name: 'millwright_watcher_source_last_event_age_seconds',
      type: 'gauge',
      help: 'Since when the API server has sent nothing of the resource; it sends a bookmark each minute.',
    },
    ({ lastEventAgeSeconds }) => lastEventAgeSeconds,
  ),
  {
    name: 'millwright_stopped_since_timestamp_seconds',
    type: 'gauge',
    help: 'Since when the ConfigMap millwright-stop keeps everything from being created or deleted; no series without it.',
    labels: ['kube_namespace'],
    read: ({ namespace, term: { stoppedSince } }) =>
      stoppedSince === undefined
        ? []
        : [{ labels: { kube_namespace: namespace }, value: stoppedSince / 1_000 }],
  },
  {
    name: 'millwright_queue_unserved_seconds',
    type: 'gauge',
    help: 'For how long no worker has asked for work at a task queue that the namespace needs; 0 while one does.',
    labels: ['kube_namespace', 'queue'],
    *read({ namespace, term, now }) {
      for (const [queue, since] of term.unservedSince) {
        const value = since === undefined ? 0 : Math.max(now - since, 0) / 1_000;
        yield { labels: { kube_namespace: namespace, queue }, value };
      }
    },
  },
  {
    name: 'mcm_workqueue_depth',
    type: 'gauge',
    help: 'Signals that have not arrived yet, by the kind of the object.',
    labels: ['name', 'namespace'],
    read: (leading) => queueSamples(leading, leading.term.backlog()),
  },
  {
    name: 'mcm_workqueue_adds_total',
    type: 'counter',
    help: 'Signals that were to be sent, without those that joined one that was waiting.',
    labels: ['name', 'namespace'],
    read: (leading) => queueSamples(leading, leading.recorder.adds),
  },
  {
    name: 'mcm_workqueue_retries_total',
    type: 'counter',
    help: 'Attempts to send that failed and were repeated.',
    labels: ['name', 'namespace'],
    read: (leading) => queueSamples(leading, leading.recorder.retries),
  },
];

type QueueKind =
  ReturnType<Leading['term']['backlog']> extends ReadonlyMap<infer Kind, number> ? Kind : never;

/** Every kind that has a workflow, also those with nothing to do. */
const queueKinds: readonly QueueKind[] = [
  'machine',
  'machineSet',
  'machineDeployment',
  'machineClass',
];

function* queueSamples(
  { namespace }: Leading,
  counts: ReadonlyMap<QueueKind, number>,
): Iterable<Sample> {
  for (const kind of queueKinds)
    yield { labels: { name: mcmQueueOf(kind), namespace }, value: counts.get(kind) ?? 0 };
}

export const termHistograms: readonly HistogramSeries<Leading>[] = [
  {
    name: 'millwright_watcher_signal_lag_seconds',
    help: 'From a change that was heard of until Temporal had the signal, with waits on purpose of up to a second.',
    labels: ['kube_namespace', 'kind'],
    of: ({ namespace, recorder }) => ({
      histogram: recorder.lag,
      with: { kube_namespace: namespace },
    }),
  },
  {
    name: 'mcm_workqueue_queue_duration_seconds',
    help: 'How long signals waited until they were sent, with waits on purpose of up to a second.',
    labels: ['name', 'namespace'],
    of: ({ namespace, recorder }) => ({ histogram: recorder.waits, with: { namespace } }),
  },
];
