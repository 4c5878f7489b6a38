import { aMachine } from '../../support/builders.ts';
import { LeadingWatcher } from './leading-watcher.ts';

let watcher: LeadingWatcher;
beforeEach(() => {
  watcher = new LeadingWatcher();
  watcher.put(aMachine({ phase: 'Running' }));
});

const sampleLines = async (): Promise<string[]> =>
  (await watcher.registry.metrics()).split('\n').filter((line) => line !== '' && line[0] !== '#');

test('a watcher that stands by says only that', async () => {
  watcher.isLeader = false;
  const lines = await sampleLines();
  expect(lines.filter((line) => !line.startsWith('millwright_watcher_history_lost_total'))).toEqual(
    ['millwright_watcher_leader{kube_namespace="shoot"} 0'],
  );
});

test('a leader counts no objects before it has listed them all', async () => {
  watcher.isListed = false;
  watcher.sources.set('machines', { isSynced: false, restarts: 2, lastEventAgeSeconds: 61.5 });
  const lines = await sampleLines();
  expect(lines.filter((line) => line.startsWith('mcm_machine_'))).toEqual([]);
  const of = '{kube_namespace="shoot",source="machines"}';
  expect(lines).toEqual(
    expect.arrayContaining([
      'millwright_watcher_leader{kube_namespace="shoot"} 1',
      `millwright_watcher_source_synced${of} 0`,
      `millwright_watcher_source_restarts_total${of} 2`,
      `millwright_watcher_source_last_event_age_seconds${of} 61.5`,
    ]),
  );
  watcher.isListed = true;
  expect(await watcher.lines('mcm_machine_items_total')).toHaveLength(1);
});

test('what is counted is a counter for Prometheus', async () => {
  watcher.signals.sent = 7;
  const text = await watcher.registry.metrics();
  expect(text).toContain('# TYPE millwright_watcher_signals_sent_total counter');
  expect(text).toContain('millwright_watcher_signals_sent_total{kube_namespace="shoot"} 7');
  expect(text).toContain('# TYPE millwright_watcher_signal_lag_seconds histogram');
});

test('the lag of signals is timed by kind', async () => {
  watcher.recorder.arrived('machine', 40);
  const name = 'millwright_watcher_signal_lag_seconds';
  const ofKind = { kube_namespace: 'shoot', kind: 'machine' };
  expect(await watcher.value(`${name}_bucket`, { ...ofKind, le: '0.025' })).toBe(0);
  expect(await watcher.value(`${name}_bucket`, { ...ofKind, le: '0.05' })).toBe(1);
  expect(await watcher.value(`${name}_sum`, ofKind)).toBe(0.04);
});

test('since when everything is stopped is a time, and nothing where it is not', async () => {
  expect(await watcher.lines('millwright_stopped_since_timestamp_seconds')).toEqual([]);
  watcher.stoppedSince = 1_700_000_000_000;
  expect(await watcher.value('millwright_stopped_since_timestamp_seconds')).toBe(1_700_000_000);
});

test('for how long each queue is without a worker', async () => {
  watcher.unservedSince.set('millwright/c/shoot', undefined);
  watcher.unservedSince.set('millwright/c/shoot/drain', Date.now() - 60_000);
  const name = 'millwright_queue_unserved_seconds';
  expect(await watcher.value(name, { queue: 'millwright/c/shoot' })).toBe(0);
  const seconds = await watcher.value(name, { queue: 'millwright/c/shoot/drain' });
  expect(seconds).toBeGreaterThanOrEqual(60);
});

test('histories that were lost are counted by the reason, zero as well', async () => {
  watcher.doubts.set('restored', 1);
  const name = 'millwright_watcher_history_lost_total';
  expect(await watcher.lines(name)).toEqual([
    `${name}{kube_namespace="shoot",reason="restored"} 1`,
    ...['target', 'forgotten', 'absent', 'late', 'lease', 'temporal', 'claims'].map(
      (reason) => `${name}{kube_namespace="shoot",reason="${reason}"} 0`,
    ),
  ]);
});

test('every sample has only the labels that its series declares', async () => {
  watcher.recorder.arrived('machine', 1);
  watcher.recorder.begun('machine', 1);
  for (const metric of watcher.registry.getMetricsAsArray()) {
    const declared = new Set<string>([...Reflect.get(metric, 'labelNames'), 'le']);
    const found = watcher.registry.getSingleMetric(metric.name);
    const { values } = (await found?.get()) ?? { values: [] };
    const others = values
      .flatMap(({ labels }) => Object.keys(labels))
      .filter((l) => !declared.has(l));
    expect([metric.name, others]).toEqual([metric.name, []]);
  }
});
