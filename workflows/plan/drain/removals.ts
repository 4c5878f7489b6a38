/** Which pods leave a Node, in which order, and which of them are asked now. */

/** A pod as far as a drain cares. Times in milliseconds. */
export interface DrainPod {
  uid: string;
  namespace: string;
  name: string;
  labels: Record<string, string>;
  priority: number;
  /** Names of the PersistentVolumeClaims that it mounts. */
  claims: string[];
  graceSeconds: number;
  /** A pod of the kubelet itself, from a file: it cannot be evicted. */
  isMirror: boolean;
  /** Its DaemonSet would put it back at once. */
  isOfDaemonSet: boolean;
  isReady: boolean;
  /** It does not run yet, or has ended: the API server evicts it without asking a budget. */
  isUnguarded?: true;
  /** It is being deleted, and its grace period ends then. */
  goneBy?: number;
  createdAt?: number;
  tolerations?: Toleration[];
}

/** As in the spec of a pod. */
export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

/** An eviction that was refused, and what is known of it. Times in milliseconds. */
export interface Refusal {
  /** Time of this pod's first refusal, from which the limit counts. */
  since: number;
  nextTryAt: number;
  /** In words. */
  why: string;
  /** The object that stands in the way, e.g. `PodDisruptionBudget/default/web`. */
  blockedBy: string;
  /** A person has to fix it: asking more often is of no use. */
  isHopeless: boolean;
  /**
   * By a PodDisruptionBudget: its next change may let the pod go. Absent in what earlier versions
   * noted.
   */
  isOfBudget?: boolean;
}

/** By the pod's UID. */
export type Refusals = Record<string, Refusal>;

export interface Removal {
  pod: DrainPod;
  by: 'eviction' | 'deletion';
  /**
   * The same budget refused these in the same words: if it refuses this pod again, they need not be
   * asked.
   */
  alike: DrainPod[];
}

export interface Removals {
  /** All at once; those that are alike follow when their first one goes. */
  parallel: Removal[];
  /**
   * In this order, up to the first that goes: the next one follows when the volumes of that one
   * have moved.
   */
  serial: Removal[];
}

export interface DrainFacts {
  /** Those that must leave and are still there. */
  pods: DrainPod[];
  refusals: Refusals;
  /** The volumes of an evicted pod are being waited for. */
  isVolumeAwaited: boolean;
  /**
   * How long a pod with volumes holds up the next one after its grace period, when it does not go.
   */
  patienceMilliseconds: number;
  /** After so long a pod that is refused is deleted without asking. */
  evictionMilliseconds: number;
  now: number;
}

/**
 * As in MCM v0.62.1: one refused eviction for each 20 s. Counted in time, so that a new worker does
 * not begin anew.
 */
export const evictionSeconds = 20;

export function podKey({ namespace, name }: DrainPod): string {
  return `${namespace}/${name}`;
}

/**
 * Pods that have ended block nothing, but they hold volumes: they leave like the
 * others.
 */
export function mustLeave({ isMirror, isOfDaemonSet }: DrainPod): boolean {
  return !isMirror && !isOfDaemonSet;
}

/** The taint that keeps pods from a Node that is drained: `NoSchedule` without a value. */
export interface Closing {
  taint: string;
  /** Milliseconds; pods that came before are asked to leave. */
  at: number;
}

/**
 * It came onto the closed Node because it tolerates that: evicted, it would only be replaced by
 * another.
 */
export function isLate(
  { createdAt = 0, tolerations = [] }: DrainPod,
  { taint, at }: Closing,
): boolean {
  return createdAt > at && tolerations.some((one) => tolerates(one, taint));
}

function tolerates({ key = '', operator, value = '', effect }: Toleration, taint: string): boolean {
  if (effect !== undefined && effect !== '' && effect !== 'NoSchedule') return false;
  if (operator === 'Exists') return key === '' || key === taint;
  return key === taint && value === '';
}

export function planRemovals(facts: DrainFacts): Removals {
  const { pods, now, patienceMilliseconds: patience } = facts;
  const withVolumes = pods.filter(hasVolumes).toSorted(byPriority);
  const isLineHeldUp =
    facts.isVolumeAwaited ||
    withVolumes.some(({ goneBy }) => goneBy !== undefined && now < goneBy + patience);
  return {
    parallel: dueOf(
      pods.filter((pod) => !hasVolumes(pod)),
      facts,
    ),
    serial: isLineHeldUp ? [] : dueOf(withVolumes, facts),
  };
}

function hasVolumes({ claims }: DrainPod): boolean {
  return claims.length > 0;
}

function byPriority(a: DrainPod, b: DrainPod): number {
  return b.priority - a.priority || (podKey(a) < podKey(b) ? -1 : 1);
}

/**
 * Pods of one plan; the next ones follow when these have gone. The state of each stands in
 * heartbeats. No Node runs as many, but it may have thousands that have ended, which go at once.
 */
const askedMax = 1_000;

function dueOf(pods: DrainPod[], facts: DrainFacts): Removal[] {
  const left = pods.filter(({ goneBy }) => goneBy === undefined).slice(0, askedMax);
  const kinds = new Map<string, DrainPod[]>();
  for (const pod of left.filter((one) => !isUsedUp(one, facts))) {
    const kind = kindOf(pod, facts);
    const alike = kinds.get(kind) ?? [];
    kinds.set(kind, alike);
    alike.push(pod);
  }
  const byFirstDue = new Map(
    [...kinds.values()].map((kind) => [kind.find((one) => isDue(one, facts)), kind]),
  );
  return left.flatMap((pod): Removal[] => {
    if (!isDue(pod, facts)) return [];
    if (isUsedUp(pod, facts)) return [{ pod, by: 'deletion', alike: [] }];
    const kind = byFirstDue.get(pod);
    return kind ? [{ pod, by: 'eviction', alike: kind.filter((other) => other !== pod) }] : [];
  });
}

function isDue({ uid }: DrainPod, { refusals, now }: DrainFacts): boolean {
  return now >= (refusals[uid]?.nextTryAt ?? now);
}

function isUsedUp({ uid }: DrainPod, facts: DrainFacts): boolean {
  const refusal = facts.refusals[uid];
  return refusal !== undefined && facts.now >= refusal.since + facts.evictionMilliseconds;
}

/**
 * A budget answers the same for all ready pods, and for all others. A pod that no budget refused
 * yet is a kind of its own.
 */
function kindOf({ uid, isReady }: DrainPod, { refusals }: DrainFacts): string {
  const refusal = refusals[uid];
  if (refusal?.isOfBudget !== true) return uid;
  return `${refusal.blockedBy} ${refusal.why} ${isReady}`;
}

const firstRetrySeconds = 5;
/** A change of the budget wakes its drains long before (activities/drain/wake-ups). */
export const longestOfBudgetSeconds = 120;
/** No event says when a webhook would answer otherwise. */
export const longestRetrySeconds = 60;

export interface RetryInput {
  /** Time of the first refusal. */
  since: number;
  now: number;
  isHopeless: boolean;
  isOfBudget: boolean;
  evictionMilliseconds: number;
  /** From 0 to 1: spreads drains that were refused together. */
  random: number;
}

/**
 * When a refused pod is asked again: after 5 s at first, and ever later, up to two minutes where a
 * budget refuses and a minute otherwise, or up to half of that sooner by chance; at the latest when
 * it is to be deleted. Each attempt is an action of Temporal Cloud.
 */
export function nextTryOf(input: RetryInput): number {
  const { since, now, isHopeless, isOfBudget, evictionMilliseconds, random } = input;
  const elapsedSeconds = Math.max((now - since) / 1000, firstRetrySeconds);
  const longest = isOfBudget ? longestOfBudgetSeconds : longestRetrySeconds;
  const seconds = (isHopeless ? longest : Math.min(elapsedSeconds, longest)) * (1 - random / 2);
  const deletedAt = since + evictionMilliseconds;
  const nextTryAt = now + seconds * 1000;
  return deletedAt > now ? Math.min(nextTryAt, deletedAt) : nextTryAt;
}

/** The flag or the machine's own word, but no more than fit into the drain timeout. */
export function evictRetriesWithin(retries: number, drainTimeoutSeconds: number): number {
  return Math.max(Math.min(retries, Math.floor(drainTimeoutSeconds / evictionSeconds)), 0);
}
