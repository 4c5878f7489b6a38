/**
 * Which blocked drains try again because a PodDisruptionBudget changed, without waiting for their
 * time.
 */
import type { Budget } from './budgets.ts';
import { budgetsOf } from './budgets.ts';
import type { DrainPod } from './removals.ts';

/** A budget as it is watched. */
export interface WatchedBudget extends Budget {
  /** Namespace and name. */
  name: string;
  resourceVersion: string;
}

/** A pod whose eviction a budget refused. */
export type BlockedPod = Pick<DrainPod, 'uid' | 'namespace' | 'labels' | 'isReady'>;

export interface BlockedDrain {
  id: string;
  /** Since when, milliseconds: the longest wait goes first. */
  since: number;
  pods: BlockedPod[];
  /**
   * By the pod's UID: the state of its budgets in which it was woken for. No second try for
   * the same.
   */
  triedIn: ReadonlyMap<string, string>;
}

/** A pod that may leave by now. */
export interface Chance {
  podUid: string;
  /** State of the pod's budgets: another one is another chance. */
  state: string;
  /** Name of the budget that allows it; absent when no budget takes the pod any more. */
  budget?: string;
}

export interface Wake {
  id: string;
  chances: Chance[];
}

export interface WakeFacts {
  drains: BlockedDrain[];
  budgetsIn(namespace: string): readonly WatchedBudget[];
  /** By name of a budget: drains that were woken for it and have not tried yet. */
  claimed: ReadonlyMap<string, number>;
}

/**
 * The chance by the rules of the API server's eviction; undefined when it would refuse. Several
 * budgets refuse together, whatever they say.
 */
export function chanceOf(pod: BlockedPod, budgets: readonly WatchedBudget[]): Chance | undefined {
  const [budget, ...others] = budgetsOf(pod, budgets);
  if (!budget) return { podUid: pod.uid, state: 'no budget' };
  if (others.length > 0 || !allows(budget, pod)) return undefined;
  const { name, resourceVersion } = budget;
  return { podUid: pod.uid, state: `${name} ${resourceVersion}`, budget: name };
}

/** A status of an earlier spec counts for nothing. */
function allows({ metadata, spec, status = {} }: WatchedBudget, { isReady }: BlockedPod): boolean {
  if (!isReady && (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || isHealthy(status)))
    return true;
  const { observedGeneration = 0, disruptionsAllowed = 0 } = status;
  return observedGeneration >= (metadata.generation ?? 0) && disruptionsAllowed > 0;
}

/** Then a pod that is not ready goes: without it as many are healthy as the budget wants. */
function isHealthy({
  currentHealthy = 0,
  desiredHealthy = 0,
}: NonNullable<Budget['status']>): boolean {
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/**
 * At most as many drains as a budget allows disruptions; all of those that no budget holds back any
 * more.
 */
export function wakesOf({ drains, budgetsIn, claimed }: WakeFacts): Wake[] {
  const left = new Map<string, number>();
  const isLeft = ({ budget }: Chance): boolean =>
    budget === undefined || (left.get(budget) ?? 0) > 0;
  const inOrder = drains.toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1));
  return inOrder.flatMap(({ id, pods, triedIn }) => {
    const chances = pods.flatMap((pod) => {
      const budgets = budgetsIn(pod.namespace);
      for (const budget of budgets) noteAllowed(budget);
      const chance = chanceOf(pod, budgets);
      return chance && triedIn.get(pod.uid) !== chance.state && isLeft(chance) ? [chance] : [];
    });
    for (const name of budgetNames(chances)) left.set(name, (left.get(name) ?? 0) - 1);
    return chances.length > 0 ? [{ id, chances }] : [];
  });

  function noteAllowed({ name, status }: WatchedBudget): void {
    // A budget that lets unhealthy pods go says nothing of how many.
    const allowed = Math.max(status?.disruptionsAllowed ?? 0, 1);
    if (!left.has(name)) left.set(name, allowed - (claimed.get(name) ?? 0));
  }
}

/** Names of the budgets that allow something. */
export function budgetNames(chances: readonly Chance[]): Set<string> {
  return new Set(chances.flatMap(({ budget }) => budget ?? []));
}

/** False for a change that lets no pod go: healthy pods come and go all the time. */
export function mayFree(budget: WatchedBudget, previous: WatchedBudget | undefined): boolean {
  if (!previous || (budget.status?.disruptionsAllowed ?? 0) > 0) return true;
  return JSON.stringify(budget.spec) !== JSON.stringify(previous.spec);
}
