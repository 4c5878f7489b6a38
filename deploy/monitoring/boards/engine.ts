import { byLabels, ofInstall, ofNamespace, risen, type Board, type Query } from '../panel.ts';

/** Query of the SDK's histograms, whose buckets are coarse: an order of magnitude. */
function slowest(metric: string, by: string): Query {
  return byLabels(
    `histogram_quantile(0.95, sum by (le, ${by}) (rate(${metric}_bucket{${ofInstall}}[5m])))`,
  );
}

function perSecond(metric: string, by: string): Query {
  return byLabels(`sum by (${by}) (rate(${metric}{${ofInstall}}[$__rate_interval]))`);
}

export const engine: Board = {
  name: 'engine',
  title: 'Millwright engine',
  description:
    'Watcher, workers, and the two servers that they need: Temporal and the API servers.',
  variables: ['install', 'namespace'],
  temporalQuery: 'TemporalReportedProblems IS NOT NULL',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Processes without Temporal',
          description: 'Watchers and workers whose last check got no answer from Temporal.',
          kind: 'stat',
          limits: { red: 1 },
          runbook: 'temporal-down',
          query: `count(millwright_temporal_reachable{${ofInstall}} == 0) or vector(0)`,
          legend: 'processes',
        },
        {
          title: 'API servers that answer',
          description: 'By the last round of the safety checks: the share that answers.',
          kind: 'stat',
          unit: 'percentunit',
          runbook: 'api-server-down',
          query: `avg by (cluster) (millwright_api_server_reachable{${ofNamespace}})`,
        },
        {
          title: 'Without a leader',
          description: 'For how long no watcher has led.',
          kind: 'stat',
          unit: 's',
          limits: { orange: 15, red: 60 },
          runbook: 'worker-down',
          query: `max(min by (kube_namespace) (millwright_leaderless_seconds{${ofNamespace}}))`,
          legend: 'longest',
        },
        {
          title: 'Queue without a worker',
          description: 'For how long, the longest of all task queues.',
          kind: 'stat',
          unit: 's',
          limits: { orange: 30, red: 120 },
          runbook: 'worker-down',
          query: `max(millwright_queue_unserved_seconds{${ofNamespace}})`,
          legend: 'longest',
        },
        {
          title: 'Runs begun anew in the last day',
          description:
            'After an upgrade: the new code does not go on with histories of the old one.',
          kind: 'stat',
          limits: { red: 1 },
          runbook: 'bad-release',
          query: `sum(${risen('millwright_runs_begun_anew_total', ofInstall, '1d')}) or vector(0)`,
          legend: 'runs',
        },
        {
          title: 'Next certificate to end',
          description: 'Of Temporal and of kubeconfigs; none where all use tokens.',
          kind: 'stat',
          unit: 'dtdurations',
          runbook: 'certificate-expiry',
          isOftenEmpty: true,
          query: `min(millwright_certificate_expiry_timestamp_seconds{${ofInstall}}) - time()`,
          legend: 'left',
        },
      ],
    },
    {
      title: 'Waiting for a worker',
      panels: [
        {
          title: 'Workflow tasks: schedule to start',
          description:
            '95 of 100 wait for less. More than some seconds: too few workers, or too little CPU.',
          unit: 's',
          limits: { orange: 1, red: 10 },
          runbook: 'worker-down',
          queries: [
            slowest('temporal_workflow_task_schedule_to_start_latency_seconds', 'task_queue'),
          ],
        },
        {
          title: 'Activities: schedule to start',
          description: 'The same for calls of clouds, drains and larger writes, by task queue.',
          unit: 's',
          limits: { orange: 1, red: 10 },
          runbook: 'worker-down',
          queries: [slowest('temporal_activity_schedule_to_start_latency_seconds', 'task_queue')],
        },
        {
          title: 'Free slots',
          description:
            'Of all workers together. At 0, tasks of this kind wait. Workflow tasks have as many slots as their workers finish in time.',
          runbook: 'worker-down',
          queries: [
            {
              expr: `sum by (worker_type, task_queue) (temporal_worker_task_slots_available{${ofInstall}})`,
              legend: '{{worker_type}} {{task_queue}}',
            },
            {
              expr: `sum(millwright_workflow_task_slots{${ofInstall}}) - sum(temporal_worker_task_slots_used{${ofInstall}, worker_type="WorkflowWorker"})`,
              legend: 'workflow tasks',
            },
          ],
        },
        {
          title: 'Slots in use',
          description: 'Tasks under way.',
          kind: 'stack',
          query: `sum by (worker_type, task_queue) (temporal_worker_task_slots_used{${ofInstall}})`,
        },
        {
          title: 'Queues without a worker',
          description: 'For how long no worker has polled, by task queue.',
          unit: 's',
          limits: { red: 120 },
          runbook: 'worker-down',
          query: `max by (queue) (millwright_queue_unserved_seconds{${ofNamespace}})`,
        },
        {
          title: 'Pollers',
          description: 'Open polls of the workers, by kind. They fall when a worker is gone.',
          kind: 'stack',
          query: `sum by (poller_type) (temporal_num_pollers{${ofInstall}})`,
        },
      ],
    },
    {
      title: 'Workflows',
      panels: [
        {
          title: 'Workflow tasks: time on the worker',
          description: '95 of 100 take less, by kind of workflow.',
          unit: 's',
          queries: [slowest('temporal_workflow_task_execution_latency_seconds', 'workflow_type')],
        },
        {
          title: 'Activities: time on the worker',
          description: '95 of 100 take less. Drains and creations take as long as they take.',
          unit: 's',
          queries: [slowest('temporal_activity_execution_latency_seconds', 'activity_type')],
        },
        {
          title: 'Local activities: time on the worker',
          description:
            '95 of 100 take less. They read and write objects: slow ones point to the API server.',
          unit: 's',
          runbook: 'api-server-down',
          queries: [slowest('temporal_local_activity_execution_latency_seconds', 'activity_type')],
        },
        {
          title: 'Failures',
          description:
            'Per second: workflow tasks by reason, activities by kind. An activity that fails is tried again.',
          unit: 'ops',
          runbook: 'bad-release',
          isOftenEmpty: true,
          queries: [
            perSecond(
              'temporal_workflow_task_execution_failed_total',
              'workflow_type, failure_reason',
            ),
            perSecond('temporal_activity_execution_failed_total', 'activity_type'),
            perSecond('temporal_local_activity_execution_failed_total', 'activity_type'),
          ],
        },
        {
          title: 'Runs begun anew',
          description: 'Per hour. Each has lost its commands and drain deadlines.',
          limits: { red: 1 },
          runbook: 'bad-release',
          isOftenEmpty: true,
          query: `sum by (kind, reason) (${risen('millwright_runs_begun_anew_total', ofInstall, '1h')})`,
        },
        {
          title: 'Cached workflows',
          description: 'How many workflows each worker holds in memory (the sticky cache).',
          kind: 'stack',
          query: `sum by (pod) (temporal_sticky_cache_size{${ofInstall}})`,
        },
        {
          title: 'Sticky cache: hits and misses',
          description:
            'A miss replays the history of its workflow. Many, long after a start: the cache is too small.',
          unit: 'ops',
          queries: [
            { ...perSecond('temporal_sticky_cache_hit_total', 'pod'), legend: '{{pod}} hits' },
            { ...perSecond('temporal_sticky_cache_miss_total', 'pod'), legend: '{{pod}} misses' },
            {
              ...perSecond('temporal_sticky_cache_total_forced_eviction_total', 'pod'),
              legend: '{{pod}} evictions',
            },
          ],
        },
        {
          title: 'Replays',
          description: '95 of 100 histories are replayed in less.',
          unit: 's',
          queries: [slowest('temporal_workflow_task_replay_latency_seconds', 'workflow_type')],
        },
      ],
    },
    {
      title: 'Watcher',
      panels: [
        {
          title: 'From a change to its workflow',
          description: '95 of 100 signals arrive sooner. Up to a second is waited on purpose.',
          unit: 's',
          limits: { orange: 5, red: 30 },
          runbook: 'temporal-down',
          query: `histogram_quantile(0.95, sum by (le, kind) (rate(millwright_watcher_signal_lag_seconds_bucket{${ofNamespace}}[5m])))`,
        },
        {
          title: 'Signals',
          description:
            'Per second: sent, merged into newer ones, failed and repeated, and to workflows that do not run.',
          unit: 'ops',
          queries: ['sent', 'merged', 'failed', 'dropped'].map((what) => ({
            expr: `sum(rate(millwright_watcher_signals_${what}_total{${ofNamespace}}[$__rate_interval]))`,
            legend: what,
          })),
        },
        {
          title: 'Signals that have not arrived yet',
          description: 'Grows while Temporal does not answer.',
          runbook: 'temporal-down',
          query: `sum by (kube_namespace) (millwright_watcher_signals_backlog{${ofNamespace}})`,
        },
        {
          title: 'Age of the last event',
          description: 'Since the API server sent anything, by source. Bookmarks come each minute.',
          unit: 's',
          limits: { orange: 120, red: 300 },
          runbook: 'api-server-down',
          query: `max by (source) (millwright_watcher_source_last_event_age_seconds{${ofNamespace}})`,
        },
        {
          title: 'Lists and watches that broke',
          description: 'Per hour, by source.',
          runbook: 'api-server-down',
          isOftenEmpty: true,
          query: `sum by (source) (increase(millwright_watcher_source_restarts_total{${ofNamespace}}[1h]))`,
        },
        {
          title: 'Sources in order',
          description: '1: listed, and its watch does not fail.',
          runbook: 'api-server-down',
          query: `min by (source) (millwright_watcher_source_synced{${ofNamespace}})`,
        },
      ],
    },
    {
      title: 'Servers and processes',
      panels: [
        {
          title: 'Temporal: time of a simple answer',
          description: '9 of 10 checks, one every 15 s, take less.',
          unit: 's',
          limits: { orange: 0.2, red: 1 },
          runbook: 'temporal-down',
          query: `histogram_quantile(0.9, sum by (le, pod) (rate(millwright_temporal_check_duration_seconds_bucket{${ofInstall}}[10m])))`,
        },
        {
          title: 'Requests to Temporal that failed',
          description: 'Per second, by operation of the SDK.',
          kind: 'stack',
          unit: 'ops',
          runbook: 'temporal-down',
          isOftenEmpty: true,
          queries: [perSecond('temporal_request_failure_total', 'operation')],
        },
        {
          title: 'API servers',
          description: '1: answers, by the last round on each worker.',
          runbook: 'api-server-down',
          query: `min by (kube_namespace, cluster) (millwright_api_server_reachable{${ofNamespace}})`,
        },
        {
          title: 'CPU',
          description: 'Cores in use, by process.',
          kind: 'stack',
          query: `sum by (pod) (rate(process_cpu_seconds_total{job="millwright", ${ofInstall}}[$__rate_interval]))`,
        },
        {
          title: 'Memory',
          description: 'Resident, by process.',
          unit: 'bytes',
          query: `sum by (pod) (process_resident_memory_bytes{job="millwright", ${ofInstall}})`,
        },
        {
          title: 'Event loop: delay',
          description:
            '99 of 100 turns are later by less. Above a second, checks and heartbeats come late.',
          unit: 's',
          limits: { orange: 0.2, red: 1 },
          query: `max by (pod) (nodejs_eventloop_lag_p99_seconds{job="millwright", ${ofInstall}})`,
        },
        {
          title: 'Events of Kubernetes that were dropped',
          description:
            'Per second, by reason. People miss them in "kubectl describe"; nothing else is lost.',
          kind: 'stack',
          unit: 'ops',
          queries: [perSecond('millwright_events_dropped_total', 'reason')],
        },
        {
          title: 'Requests for serving certificates of kubelets',
          description:
            'In the last hour, with --approve-kubelet-serving. Left alone: the log of the worker says why, and Events of Machines.',
          kind: 'stack',
          query: `sum by (result) (increase(millwright_kubelet_serving_requests_total{${ofInstall}}[1h]))`,
        },
        {
          title: 'Checks by rounds',
          description: 'Per second, by check and outcome. Failed: the log of the worker says why.',
          kind: 'stack',
          unit: 'ops',
          query: `sum by (check, outcome) (rate(millwright_safety_probes_total{${ofNamespace}}[10m]))`,
        },
      ],
    },
  ],
};
