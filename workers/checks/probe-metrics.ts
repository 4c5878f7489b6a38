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

export function registerProbeMetrics(registry: Registry, namespace: string): ProbeMetrics {
  const registers = [registry];
  const labels = { kube_namespace: namespace };
  const probes = new Counter({
    name: 'millwright_safety_probes_total',
    help: 'Probes of this worker between runs of the checks. found: no run was started for it, because the check is paused or ran just before; triggered: one was.',
    labelNames: ['kube_namespace', 'check', 'outcome'],
    registers,
  });
  const gaugeOf = (name: string, help: string): ((value: number) => void) => {
    const gauge = new Gauge({ name, help, labelNames: ['kube_namespace'], registers });
    return (value) => gauge.set(labels, value);
  };
  const frozen = gaugeOf(
    'millwright_frozen',
    '1 while an API server has been out of reach for longer than --machine-safety-apiserver-statuscheck-timeout.',
  );
  return {
    count: (check, outcome) => probes.inc({ ...labels, check, outcome }),
    setFrozen: (isFrozen) => frozen(isFrozen ? 1 : 0),
    setFrozenSets: gaugeOf('millwright_safety_frozen_sets', 'MachineSets that make no machines.'),
    setEntitiesFailed: gaugeOf(
      'millwright_safety_entities_failed',
      'Objects and workflows that did not match in the last two probes: no run could repair them.',
    ),
    setUnmanagedNodes: gaugeOf(
      'millwright_safety_unmanaged_nodes',
      'Nodes that no Machine knows of.',
    ),
  };
}
