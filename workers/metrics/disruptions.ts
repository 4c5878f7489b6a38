/** Machines that were taken as DisruptionPolicies allow. */
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { DisruptionReason } from '../../workflows/api/phases.ts';

export interface DisruptionMetrics {
  /** Begins the metrics of a namespace, until its scope ends. */
  of(
    namespace: string,
    scope: { add(name: string, stop: () => void): void },
  ): (reason: DisruptionReason, machines: number) => void;
}

export function registerDisruptionMetrics(registry: Registry): DisruptionMetrics {
  const taken = new Counter({
    name: 'millwright_disruptions_total',
    help: 'Machines that this process took as a DisruptionPolicy allowed, by the reason. Without a policy nothing is counted.',
    labelNames: ['kube_namespace', 'reason'],
    registers: [registry],
  });
  return {
    of(namespace, scope) {
      const seen = new Set<DisruptionReason>();
      let isServed = true;
      scope.add('metrics of disruptions', () => {
        isServed = false;
        for (const reason of seen) taken.remove({ kube_namespace: namespace, reason });
      });
      return (reason, machines) => {
        if (!isServed) return;
        seen.add(reason);
        taken.inc({ kube_namespace: namespace, reason }, machines);
      };
    },
  };
}
