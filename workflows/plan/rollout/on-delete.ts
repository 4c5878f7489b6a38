/** A person (or another controller) deletes old machines; each that goes is replaced by a new one. */
import { awaited } from './awaited.ts';
import { isActive, presentIn, sumOf, totalOf } from './facts.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { unsettledOf } from './sizing.ts';
import { machines } from './words.ts';

/** Old sets are closed, see `closeSet`: they make no machine in place of one that was deleted, but shrink to what is left. */
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
  if (surplus > 0 && sizes.length === 0) sizes.push(...giveBack(surplus, [...old, target]));
  if (sizes.length === 0) {
    const unsettled = unsettledOf([...old, target]);
    const size = Math.max(replicas - sumOf(old, totalOf), target.replicas);
    if (!unsettled && size > target.replicas) {
      sizes.push({ set: target, replicas: size, reason: 'OnDelete: in place of deleted machines' });
    }
  }
  return { sizes, mayCreate: true, reason: sizes[0]?.reason ?? awaited(rollout) };
}

/** Scaled down: old machines go first. */
function giveBack(surplus: number, sets: Rollout['others']): Sizing[] {
  let left = surplus;
  return sets.flatMap((set) => {
    const count = Math.min(left, set.replicas);
    left -= count;
    const size = { set, replicas: set.replicas - count, reason: 'scaled down' };
    return count > 0 ? [size] : [];
  });
}
