/**
 * A person (or another controller) deletes old machines; each that goes is replaced by a new one.
 */
import { awaited } from './awaited.ts';
import { isActive, presentIn, sumOf } from './facts.ts';
import { growthOf } from './new-set-size.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { affordable, exists, roomOf, spareOf, spareWithout, unsettledOf } from './sizing.ts';
import { giveChosen } from './scaling.ts';
import { machines } from './words.ts';

/**
 * Old sets are closed, see `closeSet`: they make no machine in place of one that was deleted, but
 * shrink to what is left.
 */
export function planOnDelete(rollout: Rollout): StrategyPlan {
  const { facts, target, others } = rollout;
  const { replicas } = facts;
  const old = others.filter(isActive);
  const sizes: Sizing[] = old
    .filter((set) => presentIn(set) < set.replicas)
    .map((set) => ({
      set,
      replicas: presentIn(set),
      reason: `OnDelete: ${machines(set.replicas - presentIn(set))} deleted`,
    }));
  const surplus = sumOf([...old, target], (set) => set.replicas) - replicas;
  if (surplus > 0 && sizes.length === 0) sizes.push(...giveBack(rollout, surplus));
  if (sizes.length === 0 && surplus < 0) sizes.push(...growNewSet(rollout, -surplus));
  const reason = sizes[0]?.reason ?? awaited(rollout);
  // Closed before there is a new set, no set would be left to make a machine.
  return { sizes, mayCreate: true, closesOld: exists(target), reason };
}

/**
 * As soon as the old machines are gone; the new set's own, which it replaces itself, hold up
 * nothing. Where it is the only one, its machines were not read: those that go are among them.
 */
function growNewSet(rollout: Rollout, missing: number): Sizing[] {
  const { target, others } = rollout;
  const old = others.filter(isActive);
  const { size } = old.length === 0 ? growthOf(rollout) : {};
  if (size) return [size];
  if (unsettledOf([...old, target])) return [];
  const room = roomOf({ ...rollout, target: { ...target, going: 0 } });
  const count = Math.min(missing, room);
  if (count <= 0) return [];
  const replicas = target.replicas + count;
  return [{ set: target, replicas, reason: 'OnDelete: in place of deleted machines' }];
}

/**
 * Scaled down: old machines go first, but no Running one that is needed. One set alone decides
 * itself which of its machines go.
 */
function giveBack({ facts, target, others }: Rollout, surplus: number): Sizing[] {
  const sets = [...others.filter(isActive), target];
  const chosen = sets.length > 1 ? giveChosen({ facts, target, others }) : [];
  if (chosen.length > 0) return chosen;
  let left = surplus;
  let spare = sets.length === 1 ? Infinity : spareOf(facts, sets);
  return sets.flatMap((set) => {
    const count = affordable(set, left, spare);
    left -= count;
    spare = spareWithout(set, count, spare);
    const size = { set, replicas: set.replicas - count, reason: 'scaled down' };
    return count > 0 ? [size] : [];
  });
}
