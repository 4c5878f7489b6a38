/** Which namespaces are served, for Prometheus. */
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

export interface FleetMetrics {
  set(namespace: string, isServed: boolean): void;
  remove(namespace: string): void;
}

export function registerFleetMetrics(registry: Registry): FleetMetrics {
  const served = new Gauge({
    name: 'millwright_namespace_served',
    help: '1 while this process serves the namespace, 0 while it cannot; the log says why.',
    labelNames: ['kube_namespace'],
    registers: [registry],
  });
  return {
    set: (namespace, isServed) => served.set({ kube_namespace: namespace }, isServed ? 1 : 0),
    remove: (namespace) => served.remove({ kube_namespace: namespace }),
  };
}
