/** Reasons for which a rollout stands still though nothing is wrong. Scaling goes on. */
import type { ObservedDeployment, SetFacts } from './facts.ts';
import { availableAt, isActive, presentIn, sumOf } from './facts.ts';
import { exists } from './sizing.ts';
import { machines } from './words.ts';

export interface Hold {
  kind: 'paused' | 'options' | 'canary' | 'rolloutAfter' | 'onDelete' | 'manual' | 'policy';
  /** An object. Default: the kind. */
  blockedBy?: string;
  /** Only a person ends it, and may not know. */
  needsPerson?: boolean;
  reason: string;
  /** The next thing that a person can do about it. */
  next: string;
  /** Ends by itself then, milliseconds. */
  until?: number;
}

/**
 * `spec.paused`, an option that cannot be parsed, or a change that waits for its time. Before
 * either ends, no new set is made.
 */
export function holdOf(facts: ObservedDeployment, now: number): Hold | undefined {
  if (facts.isPaused) {
    return { kind: 'paused', reason: 'Deployment is paused', next: 'resume it to go on' };
  }
  const { rolloutAfter, faults } = facts.options;
  if (faults.length > 0 && isRollingOut(facts)) {
    return { kind: 'options', reason: faults.join('; '), next: 'fix the annotation' };
  }
  if (rolloutAfter === undefined || rolloutAfter.at <= now || !isRollingOut(facts))
    return undefined;
  const { at: until, text } = rolloutAfter;
  const reason = `The rollout waits until ${text}`;
  return { kind: 'rolloutAfter', reason, next: 'then the rollout begins', until };
}

/**
 * As in MCM v0.62.1 the Nodes of a rollout that a person paused stay kept from the cluster
 * autoscaler.
 */
export function keepsNodes({ kind }: Hold): boolean {
  return kind === 'paused';
}

/** Some machines are not of the template's set. */
export function hasOldMachines({ sets }: ObservedDeployment): boolean {
  return sets.some((set) => !set.isOfTemplate && isActive(set));
}

/**
 * The template is not, or not only, the machines'. A set that is being deleted needs no rollout.
 */
export function isRollingOut({ sets }: ObservedDeployment): boolean {
  return sets.some((set) => !set.isOfTemplate && !set.isDeleting && isActive(set));
}

/**
 * OnDelete: nothing is under way, and old machines are left. For how long is not ours to say, so no
 * deadline runs meanwhile.
 */
export function onDeleteHold(facts: ObservedDeployment, target: SetFacts): Hold | undefined {
  const old = facts.sets.filter((set) => set !== target && isActive(set));
  if (facts.strategy !== 'OnDelete' || !exists(target) || old.length === 0) return undefined;
  const sets = [...old, target];
  const isSettled = sets.every((set) => set.going === 0 && presentIn(set) === set.replicas);
  const isWhole = sumOf(sets, ({ replicas }) => replicas) === facts.replicas;
  if (!isSettled || !isWhole || availableAt(target) < target.replicas) return undefined;
  const reason = `OnDelete: ${machines(sumOf(old, presentIn))} of old sets left`;
  return { kind: 'onDelete', reason, next: 'delete them, a new one takes the place of each' };
}
