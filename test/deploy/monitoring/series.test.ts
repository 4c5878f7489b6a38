/** Rules and dashboards read series that there are, by labels that these have. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import { boards } from '../../../deploy/monitoring/boards/all.ts';
import { queriesOf } from '../../../deploy/monitoring/panel.ts';
import { readRules } from '../../../deploy/monitoring/rules.ts';

/** Of the Temporal SDK, which has no list of its own; most of them are asked for in e2e. */
const ofTemporal = [
  'temporal_activity_execution_failed_total',
  'temporal_activity_execution_latency_seconds',
  'temporal_activity_schedule_to_start_latency_seconds',
  'temporal_local_activity_execution_failed_total',
  'temporal_local_activity_execution_latency_seconds',
  'temporal_num_pollers',
  'temporal_request_failure_total',
  'temporal_sticky_cache_hit_total',
  'temporal_sticky_cache_miss_total',
  'temporal_sticky_cache_size',
  'temporal_sticky_cache_total_forced_eviction_total',
  'temporal_worker_task_slots_available',
  'temporal_worker_task_slots_used',
  'temporal_workflow_task_execution_failed_total',
  'temporal_workflow_task_execution_latency_seconds',
  'temporal_workflow_task_replay_latency_seconds',
  'temporal_workflow_task_schedule_to_start_latency_seconds',
];
/** Of prom-client. */
const ofProcess = [
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
];
/** That Prometheus gives what it scrapes. */
const targetLabels = [
  'namespace',
  'pod',
  'job',
  'app_kubernetes_io_instance',
  'app_kubernetes_io_component',
];
/** Its own label `namespace`, beside that of its pod. */
const ownNamespace = 'exported_namespace';

/** Labels by name, of the series in docs/metrics.md. */
const documented = new Map(
  [
    ...readFileSync(join(repository, 'docs/metrics.md'), 'utf8')
      .replaceAll(/\n {2}/g, ' ')
      .matchAll(/^- `(\w+)` \((?:gauge|counter|histogram)(?:; ([^)]*))?\)/gm),
  ].map(([, name = '', labels = '']) => [name, labels.replaceAll('`', '').split(', ')]),
);

const expressions = [
  ...readRules().groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr])),
  ...boards.flatMap(({ name, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) =>
        queriesOf(panel).map(({ expr }) => [`${name}: ${panel.title}`, expr]),
      ),
    ),
  ),
].map(([place = '', expr = '']) => ({ place, expr }));

function seriesIn(expr: string): { name: string; selector: string }[] {
  const found = expr.matchAll(
    /\b((?:millwright|mcm|temporal|process|nodejs)_\w+)(?:\{([^}]*)\})?/g,
  );
  return [...found].map(([, name = '', selector = '']) => ({
    name: name.replace(/_(?:bucket|sum|count)$/, ''),
    selector,
  }));
}

test('docs/metrics.md is read', () => {
  expect(documented.size).toBeGreaterThan(60);
  expect(documented.get('millwright_machines')).toEqual([
    'kube_namespace',
    'machine_deployment',
    'phase',
  ]);
});

describe.each(expressions)('$place: $expr', ({ expr }) => {
  const series = seriesIn(expr);

  test('reads series that there are', () => {
    const known = new Set([...documented.keys(), ...ofTemporal, ...ofProcess]);
    expect(series.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
    expect(series.length + Number(/\bup\b|ALERTS/.test(expr))).toBeGreaterThan(0);
  });

  test('selects by labels that they have', () => {
    const wrong = series.flatMap(({ name, selector }) => {
      const known = documented.get(name);
      const labels = [...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label);
      if (known === undefined) return [];
      const exported = known.includes('namespace') ? [ownNamespace] : [];
      return labels.filter((label) => ![...known, ...targetLabels, ...exported].includes(label));
    });
    expect(wrong).toEqual([]);
  });
});

/** The label that says whose Machines a series is about. */
function namespaceLabelOf(name: string): string | undefined {
  const labels = documented.get(name) ?? [];
  if (labels.includes('kube_namespace')) return 'kube_namespace';
  return labels.includes('namespace') ? ownNamespace : undefined;
}

const chosen = boards.flatMap(({ name, rows, variables }) =>
  rows.flatMap(({ panels }) =>
    panels.map((panel) => ({ board: name, panel, canChoose: variables.includes('namespace') })),
  ),
);
test.each(chosen)('$board: $panel.title is of the namespace that is chosen', (shown) => {
  const series = queriesOf(shown.panel).flatMap(({ expr }) => seriesIn(expr));
  const ofAll = series.filter(({ name, selector }) => {
    const label = namespaceLabelOf(name);
    return label !== undefined && !selector.includes(`${label}=~"$namespace"`);
  });
  expect(shown.canChoose ? ofAll : []).toEqual([]);
});

test('what happens seldom is not counted by increase(), which does not see the first time', () => {
  const seldom = /increase\(millwright_(?:runs|drain_duration_seconds_count|safety)/;
  expect(expressions.filter(({ expr }) => seldom.test(expr))).toEqual([]);
});

test('no name of the Temporal SDK or of the process is listed in vain', () => {
  const used = new Set(expressions.flatMap(({ expr }) => seriesIn(expr).map(({ name }) => name)));
  expect([...ofTemporal, ...ofProcess].filter((name) => !used.has(name))).toEqual([]);
});
