/** What probes find, for Prometheus: also of an install in which no run is needed for hours. */
import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';

export type ProbeOutcome = 'nothing' | 'found' | 'triggered' | 'failed';

export interface ProbeMetrics {
  count(check: string, outcome: ProbeOutcome): void;
  setFrozen(isFrozen: boolean): void;
  setFrozenSets(count: number): void;
  setEntitiesFailed(count: number): void;
  setUnmanagedNodes(count: number): void;
}

/** Of all namespaces of the process. */
export interface ProcessProbeMetrics {
  of(namespace: string): ProbeMetrics;
  /** It is served no more. */
  remove(namespace: string): void;
}

export function registerProbeMetrics(registry: Registry): ProcessProbeMetrics {
  const registers = [registry];
  const gauges: Gauge[] = [];
  const seen = new Map<string, Set<string>>();
  const probes = new Counter({
    name: 'millwright_safety_probes_total',
    help: 'Probes of this worker between runs of the checks. found: no run was started for it, because the check is paused or ran just before; triggered: one was.',
    labelNames: ['kube_namespace', 'check', 'outcome'],
    registers,
  });
  const gaugeOf = (name: string, help: string): Gauge => {
    const gauge = new Gauge({ name, help, labelNames: ['kube_namespace'], registers });
    gauges.push(gauge);
    return gauge;
  };
  const frozen = gaugeOf(
    'millwright_frozen',
    '1 while an API server has been out of reach for longer than --machine-safety-apiserver-statuscheck-timeout.',
  );
  const frozenSets = gaugeOf('millwright_safety_frozen_sets', 'MachineSets that make no machines.');
  const entitiesFailed = gaugeOf(
    'millwright_safety_entities_failed',
    'Objects and workflows that did not match in the last two probes: no run could repair them.',
  );
  const unmanagedNodes = gaugeOf(
    'millwright_safety_unmanaged_nodes',
    'Nodes that no Machine knows of.',
  );
  return {
    of(namespace) {
      const labels = { kube_namespace: namespace };
      const counted = seen.get(namespace) ?? new Set();
      seen.set(namespace, counted);
      return {
        count(check, outcome) {
          probes.inc({ ...labels, check, outcome });
          counted.add(JSON.stringify({ ...labels, check, outcome }));
        },
        setFrozen: (isFrozen) => frozen.set(labels, isFrozen ? 1 : 0),
        setFrozenSets: (count) => frozenSets.set(labels, count),
        setEntitiesFailed: (count) => entitiesFailed.set(labels, count),
        setUnmanagedNodes: (count) => unmanagedNodes.set(labels, count),
      };
    },
    remove(namespace) {
      for (const gauge of gauges) gauge.remove({ kube_namespace: namespace });
      for (const labels of seen.get(namespace) ?? []) probes.remove(JSON.parse(labels));
      seen.delete(namespace);
    },
  };
}
