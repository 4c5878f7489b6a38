/** Workloads of all kinds, by chance. */
import type { Chance } from '../engine/chance.ts';
import type { WorkloadOptions } from './workload.ts';

const minuteMs = 60_000;

export interface StandardOptions {
  namespace: string;
  /** Of pods, besides those on each Node. */
  pods: number;
}

/** One for each Node of a system, and applications with so many pods in all. */
export function standardWorkloads(
  chance: Chance,
  { namespace, pods }: StandardOptions,
): WorkloadOptions[] {
  const workloads: WorkloadOptions[] = [
    { namespace, name: 'node-agent', replicas: 0, kind: 'DaemonSet', graceSeconds: 10 },
    { namespace, name: 'proxy', replicas: 0, kind: 'Mirror' },
  ];
  let left = pods;
  for (let number = 1; left > 0; number += 1) {
    const replicas = Math.min(left, 1 + chance.below(6));
    workloads.push(applicationBy(chance, { namespace, name: `app-${number}`, replicas }));
    left -= replicas;
  }
  return workloads;
}

/** With what such workloads have in the wild: budgets, volumes, long ends, finalizers. */
export function applicationBy(
  chance: Chance,
  workload: Pick<WorkloadOptions, 'namespace' | 'name' | 'replicas'>,
): WorkloadOptions {
  const kinds = [
    { value: 'ReplicaSet', weight: 7 },
    { value: 'StatefulSet', weight: 2 },
    { value: 'Bare', weight: 1 },
  ] as const;
  const kind = chance.weighted(kinds) ?? 'ReplicaSet';
  const budgets = [{ maxUnavailable: 1 }, { minAvailable: 1 }, { maxUnavailable: '34%' }];
  const isSoft = chance.happens(0.3);
  const unhealthy = isSoft ? { unhealthyPodEvictionPolicy: 'AlwaysAllow' } : {};
  return {
    ...workload,
    kind,
    graceSeconds: chance.pick([0, 5, 30, 30, 30, 300]),
    ...(chance.happens(0.5) && { budget: { ...chance.pick(budgets), ...unhealthy } }),
    ...(kind === 'StatefulSet' && { hasVolumes: chance.happens(0.7) }),
    ...(chance.happens(0.1) && { finalizerLateMs: chance.between(1_000, 10 * minuteMs) }),
  };
}
