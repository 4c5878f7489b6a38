/** docs/metrics.md, made of the registries of all processes. */
import { Registry } from 'prom-client';
import { registerCheckMetrics } from '../../../workers/checks/check-metrics.ts';
import { registerFleetMetrics } from '../../../workers/fleet/fleet.ts';
import { registerFrontMetrics } from '../../../workers/front/metrics.ts';
import { createDropReport } from '../../../workers/kube/event-recorders.ts';
import { registerDisruptionMetrics } from '../../../workers/metrics/disruptions.ts';
import { registerDrainMetrics } from '../../../workers/metrics/drains.ts';
import { registerDriverMetrics, registerPaceMetrics } from '../../../workers/metrics/drivers.ts';
import { registerServingMetrics } from '../../../workers/metrics/serving-certificates.ts';
import {
  registerLeadingMetrics,
  registerWatcherMetrics,
} from '../../../workers/metrics/watchers.ts';
import { registerCertificateMetric } from '../../../workers/process/rotated-files.ts';
import { registerLeaderlessMetric } from '../../../workers/process/leaderless.ts';
import { registerStopMetric } from '../../../workers/process/stop-signs.ts';
import { measuredReach } from '../../../workers/process/temporal-reach.ts';
import { registerExternalTasks } from '../../../workers/temporal/workers.ts';
import { createTimeoutCounter } from '../../../workers/temporal/workers.ts';
import { registerWorkflowSlots } from '../../../workers/temporal/workflow-slot-supplier.ts';
import { counters } from '../../../workflows/runtime/counters.ts';
import { createLogger } from '../../../workers/log/logger.ts';

/** One line of the page. */
export interface DocumentedSeries {
  name: string;
  type: string;
  labels: readonly string[];
  help: string;
}

interface Section {
  title: string;
  says: string;
  series: DocumentedSeries[];
}

const log = createLogger({ component: 'worker', level: 'error', format: 'json' });
const noWatchers = { watchers: new Map(), creationTimeoutSeconds: 0 };

function registered(register: (registry: Registry) => void): DocumentedSeries[] {
  const registry = new Registry();
  register(registry);
  return registry.getMetricsAsArray().map((metric) => ({
    name: metric.name,
    // The types of prom-client say otherwise.
    type: String(metric.type),
    help: metric.help,
    labels: Reflect.get(metric, 'labelNames'),
  }));
}

function ofLeader(): DocumentedSeries[] {
  return registered((registry) => registerLeadingMetrics(registry, noWatchers));
}

function ofEachWatcher(): DocumentedSeries[] {
  const leading = new Set(ofLeader().map(({ name }) => name));
  return registered((registry) => registerWatcherMetrics(registry, noWatchers)).filter(
    ({ name }) => !leading.has(name),
  );
}

function ofWorker(): DocumentedSeries[] {
  return registered((registry) => {
    registerStopMetric(registry, new Map());
    registerDrainMetrics(registry);
    registerDriverMetrics(registry);
    registerPaceMetrics(registry);
    createDropReport({ log, registry });
    registerExternalTasks(registry, log);
    createTimeoutCounter(registry);
  });
}

function ofCore(): DocumentedSeries[] {
  const checks = registered((registry) => {
    registerCheckMetrics(registry);
    registerDisruptionMetrics(registry);
    registerServingMetrics(registry);
  });
  const counted = Object.values(counters).map(({ name, help, labels }) => ({
    name: `${name}_total`,
    type: 'counter',
    help,
    labels,
  }));
  const slots = registered((registry) => registerWorkflowSlots(registry, { limit: 0 }));
  return [...checks, ...slots, ...counted];
}

function ofBoth(): DocumentedSeries[] {
  return registered((registry) => {
    registerLeaderlessMetric(registry, new Map());
    registerFleetMetrics(registry);
    registerCertificateMetric(registry, () => []);
    measuredReach(registry, { address: '', ask: async () => undefined }).close();
  });
}

const sections: Section[] = [
  {
    title: 'The watcher that leads',
    says: 'Computed when they are read, from what the watcher knows of the objects. They go with the object, and with the Lease. What it counts and times begins anew with each term; the histograms of a MachineDeployment end an hour after it is gone.',
    series: ofLeader(),
  },
  { title: 'Each watcher', says: 'Also one that stands by.', series: ofEachWatcher() },
  {
    title: 'Each worker',
    says: 'Of what this worker has done: add the workers up.',
    series: ofWorker(),
  },
  {
    title: 'Each worker that serves the core',
    says: 'What a round finds is on the worker that had it, for two periods of the check: take the maximum. Counters are of what ran on this worker: add them up.',
    series: ofCore(),
  },
  {
    title: 'Each front',
    says: 'Of the passes that this front has made: add the fronts up. Only the one that leads has changes that wait.',
    series: registered((registry) => registerFrontMetrics(registry, new Map())),
  },
  { title: 'All processes', says: 'Of the process itself.', series: ofBoth() },
];

/** Of the whole page. */
export const documented: DocumentedSeries[] = sections.flatMap(({ series }) => series);

const introduction = `# Metrics

Watcher, worker and front serve \`/metrics\` for Prometheus ([flags](flags.md): \`--port\`). Scrape all of them: each
series is on one of them, as below.

- \`millwright_*\` are ours. Those of a namespace have the label \`kube_namespace\`.
- \`mcm_*\` have the names and labels of MCM v0.62.1, for its dashboards and alerts. Where MCM has no label, ours
  have \`namespace\`, so that a fleet can tell its namespaces apart. Prometheus may rename a label \`namespace\`
  to \`exported_namespace\` (\`honor_labels\`).
- \`temporal_*\`, on workers and fronts, are those of the Temporal SDK: how long workflow tasks and activities wait and
  take, and which fail.
- \`process_*\` and \`nodejs_*\`, on all, are memory, CPU, garbage collection and event loop.

A machine has two series of its own, and one for each condition of its Node. In the order of a line: name, type,
labels, meaning.
`;

const withoutCounterpart = `## Series of MCM that are not here

- \`mcm_machine_initialize_duration_seconds\`: no object says when an instance was initialized. The driver's
  calls are timed: \`millwright_driver_call_duration_seconds{operation="initialize"}\`.
- \`mcm_misc_scrape_failure_total\`: nothing is read from a server for a scrape, so nothing can fail but all of
  it; \`/metrics\` then answers 500, and \`up\` is 0.
- \`mcm_workqueue_work_duration_seconds\`, \`mcm_workqueue_unfinished_work_seconds\` and
  \`mcm_workqueue_longest_running_processor_seconds\`: the watcher only hands over signals, and the work is done
  in workflows and activities: \`temporal_workflow_task_execution_latency_seconds\`,
  \`temporal_activity_execution_latency_seconds\`.
- \`mcm_reflector_*\`: \`millwright_watcher_source_*\` says more.
- \`rest_client_request_latency_seconds\` and \`rest_client_requests_total\`: calls to API servers are not timed.
- \`go_*\`: \`nodejs_*\`.

## Where the values differ from those of MCM

- The series of machines come from the watcher, which takes the place of \`machine-controller-manager\`. MCM has
  them on the provider's sidecar.
- A series goes with its object or condition. In MCM v0.62.1 \`mcm_machine_info\`,
  \`mcm_machine_status_condition\` and \`mcm_machine_deployment_failed_machines\` stay until a restart.
- \`mcm_machine_set_status_replicas\` is \`replicas\`. MCM shows \`readyReplicas\` there.
- \`mcm_machine_deployment_info_spec_rolling_update_max_*\` are machines, also where the object has a percentage.
- \`mcm_machine_*_duration_seconds\` know what the present leader has seen, and of drains what the worker has done
  within the last hour. A class without \`nodeTemplate\` leaves \`instance_type\` empty.
- \`mcm_workqueue_*\` are the signals on their way to workflows, by kind, with all waits on purpose.
- \`mcm_machine_controller_frozen\` is on workers, and is what their rounds find.

## What a scrape costs

\`node --expose-gc test/bench/scrape.ts 2000\` says it for 2,000 machines with eleven conditions each: 26,400
samples, 3.6 MB of text (0.1 MB compressed, which the HTTP port does not do), 55 ms of CPU on a core of the
machine that these pages are measured on, during which the watcher does nothing else. What the watcher keeps of
a machine only for metrics takes some 600 bytes.

A test compares this page with the registries. To write it again:
\`UPDATE_GOLDEN=1 npm test -- --only unit --pattern test/workers\`.
`;

export function metricsPage(): string {
  const parts = sections.map(({ title, says, series }) => {
    const lines = series.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(lineOf);
    return `## ${title}\n\n${says}\n\n${lines.join('\n')}`;
  });
  return [introduction, ...parts, withoutCounterpart].join('\n\n');
}

function lineOf({ name, type, labels, help }: DocumentedSeries): string {
  const named = labels.map((label) => `\`${label}\``).join(', ');
  const item = `- \`${name}\` (${type}${named === '' ? '' : `; ${named}`}): ${help}`;
  return item.replaceAll(/--[a-z-]+/g, (flag) => `\`${flag}\``);
}
