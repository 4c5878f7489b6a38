/** What became of requests for serving certificates of kubelets. */
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';

const results = ['approved', 'leftAlone'] as const;

export function registerServingMetrics(
  registry: Registry,
): (result: (typeof results)[number]) => void {
  const requests = new Counter({
    name: 'millwright_kubelet_serving_requests_total',
    help: 'Requests for serving certificates of kubelets that this process approved, or left alone; one counts again for each further reason. Without --approve-kubelet-serving there is no series.',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of results) requests.inc({ result }, 0);
  return (result) => requests.inc({ result });
}
