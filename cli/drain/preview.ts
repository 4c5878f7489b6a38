/** What a drain would do with the pods that are on the Node now: the planner of drains decides. */
import type { Budget } from '../../workflows/plan/drain/budgets.ts';
import { budgetsOf, evaluateRefusal } from '../../workflows/plan/drain/budgets.ts';
import type { DrainPod } from '../../workflows/plan/drain/removals.ts';
import { evictionSeconds, planRemovals, podKey } from '../../workflows/plan/drain/removals.ts';
import { chanceOf } from '../../workflows/plan/drain/wake-ups.ts';

export interface ObservedNode {
  /** Those that have to leave. */
  pods: DrainPod[];
  /** How many stay: of DaemonSets, and those of the kubelet. */
  staying: number;
  budgets: readonly Budget[];
  /** Names of attached PersistentVolumes that are waited for, by the pod's UID. */
  volumes: ReadonlyMap<string, readonly string[]>;
}

export interface Limits {
  drainTimeoutSeconds: number;
  maxEvictRetries: number;
  pvDetachTimeoutSeconds: number;
  pvReattachTimeoutSeconds: number;
}

export interface PodPreview {
  pod: string;
  /** `together`: with all others that have no volumes. Else its turn, from 1. */
  turn: 'together' | number;
  /** Budgets that take it. */
  budgets: string[];
  /** Why its eviction would be refused now; absent when it would not. */
  refusal?: { blockedBy: string; why: string };
  volumes: readonly string[];
  /** How long its volumes are waited for at most. */
  volumeSeconds: number;
}

/** In the order in which the pods are asked. */
export function previewOf(observed: ObservedNode, limits: Limits): PodPreview[] {
  const { parallel, serial } = planRemovals({
    pods: observed.pods,
    refusals: {},
    isVolumeAwaited: false,
    patienceMilliseconds: 0,
    evictionMilliseconds: limits.maxEvictRetries * evictionSeconds * 1_000,
    now: 0,
  });
  return [
    ...parallel.map(({ pod }) => podPreview(pod, 'together', observed)),
    ...serial.map(({ pod }, index) => podPreview(pod, index + 1, observed)),
  ].map((one) => ({ ...one, volumeSeconds: waitFor(one, limits, observed.pods) }));
}

function podPreview(
  pod: DrainPod,
  turn: PodPreview['turn'],
  { budgets, volumes }: ObservedNode,
): Omit<PodPreview, 'volumeSeconds'> {
  const own = budgetsOf(pod, budgets);
  const names = own.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const refusal = refusalOf(pod, own);
  return {
    pod: podKey(pod),
    turn,
    budgets: names,
    ...(refusal && { refusal }),
    volumes: volumes.get(pod.uid) ?? [],
  };
}

/** As the API server would answer now; each eviction may change that for the next one. */
function refusalOf(pod: DrainPod, own: Budget[]): PodPreview['refusal'] {
  if (pod.isUnguarded) return undefined;
  const watched = own.map((budget) => ({
    ...budget,
    name: budget.metadata.name,
    resourceVersion: '',
  }));
  if (chanceOf(pod, watched)) return undefined;
  const { why, blockedBy } = evaluateRefusal(pod, own, 'it allows no disruption now');
  return { why, blockedBy };
}

function waitFor(
  { pod, volumes }: Pick<PodPreview, 'pod' | 'volumes'>,
  { pvDetachTimeoutSeconds, pvReattachTimeoutSeconds }: Limits,
  pods: readonly DrainPod[],
): number {
  if (volumes.length === 0) return 0;
  const graceSeconds = pods.find((one) => podKey(one) === pod)?.graceSeconds ?? 0;
  return graceSeconds + pvDetachTimeoutSeconds + pvReattachTimeoutSeconds;
}
