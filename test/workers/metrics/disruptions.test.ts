import { Registry } from 'prom-client';
import { registerDisruptionMetrics } from '../../../workers/metrics/disruptions.ts';

test('machines are counted by namespace and reason, until the namespace is served no more', async () => {
  const registry = new Registry();
  const stops: (() => void)[] = [];
  const scope = { add: (_name: string, stop: () => void) => void stops.push(stop) };
  const disrupted = registerDisruptionMetrics(registry).of('shoot', scope);
  disrupted('Rollout', 2);
  disrupted('Rollout', 1);
  disrupted('Replace', 1);
  const values = async () =>
    (await registry.getMetricsAsJSON()).flatMap(({ values: found }) =>
      found.map(({ labels, value }) => [labels['kube_namespace'], labels['reason'], value]),
    );
  expect(await values()).toEqual([
    ['shoot', 'Rollout', 3],
    ['shoot', 'Replace', 1],
  ]);
  for (const stop of stops) stop();
  expect(await values()).toEqual([]);
});
