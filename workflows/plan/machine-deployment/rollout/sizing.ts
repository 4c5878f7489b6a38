/** Sizes that a strategy gives to sets. */
import type { ObservedDeployment, SetFacts } from './facts.ts';
import type { InPlaceStep } from './steps.ts';
import { availableAt, isActive, presentIn, runningAt, sumOf, totalOf } from './facts.ts';

export interface Sizing {
  set: SetFacts;
  replicas: number;
  reason: string;
  /** A rollout wants it, not a changed number of replicas. */
  isOfRollout?: true;
}

/** The sizes that a strategy wants now. The new set may be yet to be made, see `blankSet`. */
export interface StrategyPlan {
  sizes: Sizing[];
  /** A new set that does not exist yet may be made. */
  mayCreate: boolean;
  /** Old sets are to make no machine, see `closeSet`. Default false: every closed set is opened. */
  closesOld?: boolean;
  /** Of an update in place, which does not do as `closesOld` says. */
  openings?: Openings;
  /** The action that is done or awaited. */
  reason: string;
  next?: string;
  /** Why old sets give fewer machines than they would: DisruptionPolicies. */
  limit?: string;
  /** The next step of an update in place on Nodes. */
  inPlaceStep?: InPlaceStep;
  /** Nothing goes on before that is dealt with. */
  stall?: Stall;
}

/** Sets that are to be closed, see `closeSet`, and that are to be opened. */
export interface Openings {
  close: SetFacts[];
  open: SetFacts[];
}

export interface Stall {
  /** An object. */
  blockedBy: string;
  reason: string;
  next: string;
  needsPerson?: true;
}

export interface Rollout<Facts extends ObservedDeployment = ObservedDeployment> {
  facts: Facts;
  /** The set that is to have all machines in the end. */
  target: SetFacts;
  /** All others, oldest first. */
  others: SetFacts[];
}

/**
 * Machines that must stay available: fewer only if they were fewer before. As in MCM v0.62.1's
 * condition `Available`, Failed ones that are preserved are not asked for: they are the last that
 * their set gives, so a rollout would wait for them until their time is over.
 */
export function floorOf({
  replicas,
  maxUnavailable,
  sets,
}: Pick<ObservedDeployment, 'replicas' | 'maxUnavailable' | 'sets'>): number {
  const preserved = sumOf(sets, excusedIn);
  return Math.max(replicas - maxUnavailable - preserved, 0);
}

/**
 * A set without a machine that works gives its preserved ones at no cost. Those of the new set
 * count only beside as many that are available: a template whose machines all fail would else take
 * one old machine with each that is preserved, to the last. MCM v0.62.1 counts none of the new set.
 */
export function excusedIn(set: SetFacts): number {
  const { preserved = 0, isOfTemplate } = set;
  if (isOfTemplate) return Math.min(preserved, availableAt(set));
  return runningAt(set) > 0 ? preserved : 0;
}

/** Machines that there may be; nothing is above zero when nothing is wanted. */
export function mostOf({ replicas, maxSurge }: ObservedDeployment): number {
  return replicas === 0 ? 0 : replicas + maxSurge;
}

/**
 * Machines for which there is room. Those that go away count until they are gone, but for those
 * that went because nothing was wanted: maybe their drains wait for hours, and no rollout is left
 * that they could be part of.
 *
 * @param sizeOf The size that a set is about to get.
 */
export function roomOf(
  { facts, target, others }: Rollout,
  sizeOf: (set: SetFacts) => number = ({ replicas }) => replicas,
): number {
  const sets = [...others, target];
  const isEmpty = sets.every((set) => set.replicas === 0 && presentIn(set) === 0);
  const noted = exists(target) ? [target] : others.filter(isActive);
  const isAnew = isEmpty && noted.some(({ desired }) => desired === 0);
  const total = sumOf(sets, (set) => {
    const size = Math.max(set.replicas, sizeOf(set));
    return totalOf({ ...set, replicas: size, going: isAnew ? 0 : set.going });
  });
  return mostOf(facts) - total;
}

/** Running machines that may go. Those that are about to be updated in place run no longer. */
export function spareOf(facts: ObservedDeployment, sets: readonly SetFacts[]): number {
  const running = sumOf(sets, (set) => runningAt(set) - (set.inPlace?.selectedAvailable ?? 0));
  return Math.max(running - floorOf(facts), 0);
}

/** Running machines that are lost when the set shrinks by `count`. */
export function lossOf(set: SetFacts, count: number): number {
  return runningAt(set) - runningAt(set, set.replicas - count);
}

/**
 * At most `wanted`, and as many as cost no more Running machines than `spare`. A Running one that
 * was chosen for deletion costs nothing where the set has machines that do not run: it goes before
 * them, so they would wait behind it for as long as they do not come up. MCM v0.62.1 deletes it as
 * well. Preserved ones are the last to go, and no rollout waits for them, see `floorOf`.
 */
export function affordable(set: SetFacts, wanted: number, spare: number): number {
  let count = Math.max(Math.min(wanted, set.replicas), 0);
  while (count > 0 && costOf(set, count) > spare) count -= 1;
  return count;
}

function costOf(set: SetFacts, count: number): number {
  const chosen = Math.min(set.chosen?.length ?? 0, count);
  const awaited = Math.min(set.replicas, presentIn(set)) - (set.preserved ?? 0);
  return lossOf(set, count) - (runningAt(set) < awaited ? lossOf(set, chosen) : 0);
}

/** The set at its size without `count` machines. */
export function shrunkBy(set: SetFacts, count: number): SetFacts {
  return { ...set, replicas: set.replicas - count, chosen: (set.chosen ?? []).slice(count) };
}

/** Running machines that may still go when the set has shrunk by `count`. */
export function spareWithout(set: SetFacts, count: number, spare: number): number {
  return Math.max(spare - lossOf(set, count), 0);
}

/** A set that still works on its size may make machines that are not counted yet. */
export function unsettledOf(sets: readonly SetFacts[]): SetFacts | undefined {
  return sets.find((set) => isActive(set) && !set.isObserved);
}

/** The new set before it exists. */
export function blankSet(name: string): SetFacts {
  return {
    name,
    uid: '',
    resourceVersion: '',
    revision: 0,
    isFormer: false,
    isOfTemplate: true,
    isDeleting: false,
    isObserved: true,
    replicas: 0,
    reported: 0,
    hasFreshScaling: true,
    needsSync: false,
    machines: '',
    going: 0,
    isTainted: false,
    isClosed: false,
  };
}

export function exists({ uid }: SetFacts): boolean {
  return uid !== '';
}
