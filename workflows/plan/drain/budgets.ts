/** PodDisruptionBudgets in the way of a drain. */
import type { LabelSelector } from '../../api/machine-set.ts';
import { selectsLabels } from '../../api/selector.ts';
import type { DrainPod } from './removals.ts';
import { podKey } from './removals.ts';

/** `policy/v1`, as far as a drain cares. */
export interface Budget {
  metadata: { namespace?: string; name: string; uid?: string; generation?: number };
  spec?: { selector?: LabelSelector; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    expectedPods?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptionsAllowed?: number;
    disruptedPods?: Record<string, string>;
  };
}

/** An empty selector of `policy/v1` takes every pod of the namespace, a missing one none. */
export function budgetsOf<B extends Budget>(
  pod: Pick<DrainPod, 'namespace' | 'labels'>,
  budgets: readonly B[],
): B[] {
  return budgets.filter(({ metadata, spec }) => {
    if (metadata.namespace !== pod.namespace || spec?.selector === undefined) return false;
    return selectsLabels(spec.selector, pod.labels);
  });
}

/**
 * It allows nothing although all its pods are healthy: so it stays until a person changes it or
 * adds pods.
 */
export function isMisconfigured({ metadata, status = {} }: Budget): boolean {
  const { expectedPods = 0, currentHealthy = 0, disruptionsAllowed = 0 } = status;
  return (
    metadata.generation === status.observedGeneration &&
    expectedPods > 0 &&
    currentHealthy >= expectedPods &&
    Object.keys(status.disruptedPods ?? {}).length === 0 &&
    disruptionsAllowed === 0
  );
}

export interface BudgetVerdict {
  why: string;
  blockedBy: string;
  isHopeless: boolean;
  isOfBudget: boolean;
}

/**
 * Explains an eviction that was refused. `budgets`: those of the namespace, if one of them refused
 * it. `words`: the API server's.
 */
export function evaluateRefusal(
  pod: DrainPod,
  budgets: Budget[] | undefined,
  words: string,
): BudgetVerdict {
  return { ...verdictOf(pod, budgets ?? [], words), isOfBudget: budgets !== undefined };
}

function verdictOf(
  pod: DrainPod,
  budgets: Budget[],
  words: string,
): Omit<BudgetVerdict, 'isOfBudget'> {
  const blocking = budgetsOf(pod, budgets).toSorted((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
  const [budget] = blocking;
  if (!budget) return { why: words, blockedBy: `Pod/${podKey(pod)}`, isHopeless: false };
  const name = nameOf(budget);
  const blockedBy = `PodDisruptionBudget/${name}`;
  if (blocking.length > 1) {
    const names = blocking.map(nameOf).join(', ');
    const why = `more than one PodDisruptionBudget takes it, which Kubernetes does not evict: ${names}; keep one of them`;
    return { why, blockedBy, isHopeless: true };
  }
  const isHopeless = isMisconfigured(budget);
  const why = isHopeless
    ? `PodDisruptionBudget ${name} is misconfigured and requires zero voluntary evictions: let it allow one, or add pods`
    : `PodDisruptionBudget ${name}: ${words}`;
  return { why, blockedBy, isHopeless };
}

function nameOf({ metadata }: Budget): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
