import { Registry } from 'prom-client';
import { registerDrainMetrics } from '../../../workers/metrics/drains.ts';
import { HandSystem } from '../../support/hand-system.ts';

const labels = { name: 'pool' };
const forGood = { add: () => undefined };

test('drains are timed by result, and the last one of a pool is shown for an hour', async () => {
  const system = new HandSystem();
  const registry = new Registry();
  const text = () => system.run(() => registry.metrics());
  const ended = registerDrainMetrics(registry).of('shoot', forGood);
  system.run(() => {
    ended({ seconds: 12.7, result: 'drained', labels });
    ended({ seconds: 600.2, result: 'forced', labels: {} });
  });
  const counted = await text();
  for (const result of ['drained', 'forced'])
    expect(counted).toContain(
      `millwright_drain_duration_seconds_count{kube_namespace="shoot",result="${result}"} 1`,
    );
  const last = 'mcm_machine_drain_duration_seconds{namespace="shoot",machine_deployment="pool"}';
  expect(counted).toContain(`${last} 12\n`);
  await system.run(() => system.to(3_601_000));
  expect(await text()).not.toContain(last);
});

test('nothing is said of a namespace that is served no more', async () => {
  const registry = new Registry();
  const drains = registerDrainMetrics(registry);
  const stops: (() => void)[] = [];
  const ended = drains.of('shoot', { add: (_name, stop) => void stops.push(stop) });
  ended({ seconds: 1, result: 'drained', labels });
  drains.of('other', forGood)({ seconds: 1, result: 'drained', labels });
  for (const stop of stops) stop();
  // Of a drain that was under way then.
  ended({ seconds: 2, result: 'forced', labels });
  const text = await registry.metrics();
  expect(text).not.toContain('shoot');
  expect(text).toContain('millwright_drain_duration_seconds_count{kube_namespace="other"');
  expect(text).toContain('mcm_machine_drain_duration_seconds{namespace="other"');
});
