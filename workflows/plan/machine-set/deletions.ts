/** Which machines of a MachineSet are deleted next. */
import { isMarked } from './marked-machines.ts';
import { asksForPreservation } from '../../api/preserve-value.ts';
import type { DeletePolicy, MachineFact } from './scale-down.ts';
import { compareText, orderForScaleDown } from './scale-down.ts';

/** MCM v0.62.1 creates or deletes at most 100 machines at a time. */
export const burst = 100;

export interface MachineRefs {
  names: string[];
  reason: string;
}

export interface DeletionFacts {
  isDeleting: boolean;
  replicas: number;
  machines: readonly MachineFact[];
  /**
   * When the cluster autoscaler last changed the number, milliseconds: machines marked until then
   * go.
   */
  scaledAt?: number;
  /** Names of the Failed machines that may be replaced; absent: all. */
  replacements?: ReadonlySet<string>;
  /** Names of those that are to be replaced later. */
  held?: ReadonlySet<string>;
  /** Default `Random`. */
  policy?: DeletePolicy;
  now: number;
}

/**
 * At most `burst` names. `passOver`: machines that cannot be deleted just now. They count as
 * machines, and no other goes in the place of one of them.
 */
export function machinesToDelete(
  facts: DeletionFacts,
  passOver: ReadonlySet<string> = new Set(),
): MachineRefs {
  const { machines, reason } = deletableMachines(facts);
  const names = machines.map(({ name }) => name).filter((name) => !passOver.has(name));
  return { names: names.slice(0, burst), reason };
}

export interface DeletableMachines {
  /** In the order in which they go. */
  machines: MachineFact[];
  reason: string;
}

/**
 * Machines that are too many, marked, or Failed. A machine that was updated in place is about to
 * move to another set, so it neither counts as too many nor goes.
 */
export function deletableMachines(facts: DeletionFacts): DeletableMachines {
  const present = facts.machines.filter(isPresent);
  if (facts.isDeleting) {
    return { machines: present.toSorted(byName), reason: 'the set is being deleted' };
  }
  const order = orderForScaleDown(present, facts.now, facts.policy);
  const movable = order.filter(({ isUpdatedInPlace }) => !isUpdatedInPlace);
  const surplus = movable.slice(0, Math.max(movable.length - facts.replicas, 0));
  const marked = movable.filter((machine) => isMarked(machine, facts.scaledAt));
  const failed = order.filter((machine) => mayReplace(machine, facts));
  const reasons = [
    surplus.length > 0 && `${movable.length} machines, ${facts.replicas} wanted`,
    marked.length > 0 && `${marked.length} marked by the cluster autoscaler`,
    failed.length > 0 && `${failed.length} failed: to be replaced`,
  ];
  const reason = reasons.filter((text) => text !== false).join('; ');
  return { machines: [...new Set([...surplus, ...marked, ...failed])], reason };
}

/**
 * Terminating machines do not count against the wanted number, as in MCM; ours counts by
 * deletionTimestamp too.
 */
export function isPresent(machine: MachineFact): boolean {
  return !machine.isDeleting && machine.phase !== 'Terminating';
}

export interface FailedCounts {
  /** Present and Failed. */
  total: number;
  /** Kept for inspection. */
  preserved: number;
  /** Neither preserved nor granted a replacement yet. */
  held: number;
  /** When the first preservation has ended for sure, milliseconds. */
  nextExpiry?: number;
}

export function countFailed(facts: DeletionFacts): FailedCounts {
  const failed = facts.machines.filter((machine) => isPresent(machine) && isFailed(machine));
  const preserved = failed.filter((machine) => isPreserved(machine, facts.now));
  const expiries = preserved.flatMap(({ preservedUntil }) => preservedUntil ?? []);
  const replaced = failed.filter((machine) => mayReplace(machine, facts));
  return {
    total: failed.length,
    preserved: preserved.length,
    held: failed.length - preserved.length - replaced.length,
    ...(expiries.length > 0 && { nextExpiry: Math.min(...expiries) + graceMilliseconds }),
  };
}

function mayReplace(machine: MachineFact, { replacements, held, now }: DeletionFacts): boolean {
  if (!isFailed(machine) || isPreserved(machine, now) || held?.has(machine.name)) return false;
  return replacements === undefined || replacements.has(machine.name);
}

export function isFailed({ phase }: MachineFact): boolean {
  return phase === 'Failed';
}

/**
 * The machine's own workflow ends a preservation to the second, says so, and takes the expiry away;
 * when it is held up its set does not wait for longer than this.
 */
export const graceMilliseconds = 5_000;

/** Until its expiry; before the expiry is known, because an annotation asks for it. */
export function isPreserved({ preservedUntil, preserve }: MachineFact, now: number): boolean {
  if (preservedUntil === undefined) return asksForPreservation(preserve);
  return preservedUntil + graceMilliseconds > now;
}

function byName(a: MachineFact, b: MachineFact): number {
  return compareText(a.name, b.name);
}
