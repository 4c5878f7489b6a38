/**
 * Gauges that are read when they are asked for: of a fleet one for each namespace, with the label
 * `kube_namespace`; of a process with one namespace without a label.
 */
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

export interface NamespacedGauge<Member> {
  name: string;
  help: string;
  of(member: Member): number;
}

/** What a process has for each of its namespaces. */
export interface Members<Member> {
  isFleet: boolean;
  /** By namespace. */
  all: ReadonlyMap<string, Member>;
}

export function registerNamespacedGauge<Member>(
  registry: Registry,
  members: Members<Member>,
  { name, help, of }: NamespacedGauge<Member>,
): void {
  const { isFleet, all } = members;
  registry.registerMetric(
    new Gauge({
      name,
      help,
      labelNames: isFleet ? ['kube_namespace'] : [],
      registers: [],
      collect() {
        if (!isFleet) {
          for (const member of all.values()) this.set(of(member));
          return;
        }
        this.reset();
        for (const [namespace, member] of all) this.set({ kube_namespace: namespace }, of(member));
      },
    }),
  );
}
