/** Sizes of sets whose machines are updated in place and move from one to the other. */
import type { SetFacts } from './facts.ts';
import { isActive, presentIn, sumOf, underWayIn } from './facts.ts';
import { Allowance } from './gate.ts';
import { keeperOf } from './keeper.ts';
import { growthOf } from './new-set-size.ts';
import { giveChosen, Giving, isScalingEvent } from './scaling.ts';
import type { Rollout, Sizing } from './sizing.ts';
import { exists, mostOf, roomOf, spareOf, unsettledOf } from './sizing.ts';
import { machines } from './words.ts';

/** `limit`: why old machines that are left over stay. */
export function sizesOf(rollout: Rollout, limit: number): { sizes: Sizing[]; limit?: string } {
  const { others } = rollout;
  if (!others.some(isActive)) {
    const { size } = growthOf(rollout);
    return { sizes: size ? [size] : [] };
  }
  const followed = followedSizes(rollout);
  if (followed.length > 0) return { sizes: followed };
  const { sizes, limit: byPolicy } = surplusSizes(rollout);
  if (sizes.length > 0) return { sizes };
  return {
    sizes: missingSizes(rollout, limit),
    ...(byPolicy !== undefined && { limit: byPolicy }),
  };
}

/** Undefined where those that follow `replicas` are right. */
export function sizesOfHeld(rollout: Rollout, taker: SetFacts): Sizing[] | undefined {
  const followed = followedSizes(rollout);
  if (followed.length > 0) return followed;
  const missing = missingIn(rollout);
  const active = [...rollout.others, rollout.target].filter(({ replicas }) => replicas > 0);
  if (missing === 0 || active.length < 2 || !exists(taker)) return undefined;
  const reason = `${machines(missing)} missing`;
  return [{ set: taker, replicas: taker.replicas + missing, reason }];
}

function missingIn({ facts, target, others }: Rollout): number {
  const sets = [...others, target];
  const missing = facts.replicas - sumOf(sets, ({ replicas }) => replicas);
  // What a set has above its size is there until it is being deleted.
  const room = mostOf(facts) - sumOf(sets, (set) => Math.max(set.replicas, presentIn(set)));
  return Math.max(Math.min(missing, room), 0);
}

/**
 * A move changes what sets have, not their sizes: they follow, and their sum stays. Machines may
 * have arrived in a set that is an old one by now.
 */
function followedSizes({ facts, target, others }: Rollout): Sizing[] {
  const shrunk = others
    .filter((set) => set.isClosed && set.isObserved && presentIn(set) < set.replicas)
    .map((set): Sizing => {
      const count = set.replicas - presentIn(set);
      return { set, replicas: presentIn(set), reason: `${machines(count)} moved or lost` };
    });
  const grown = [...others, target].flatMap((set): Sizing[] => {
    const uncounted = Math.min(presentIn(set), facts.replicas) - set.replicas;
    const count = Math.min(set.inPlace?.arrived.length ?? 0, uncounted);
    if (count <= 0 || !set.isObserved) return [];
    return [{ set, replicas: set.replicas + count, reason: `${machines(count)} arrived` }];
  });
  return [...shrunk, ...grown];
}

/**
 * Scaled down, or the new set has all that are wanted and the surge is left over. Old machines go,
 * first those on which no agent works; the new set gives only what it has above `replicas`. No
 * Running one goes that is needed, which MCM v0.62.1 does not ask.
 */
function surplusSizes(rollout: Rollout): { sizes: Sizing[]; limit?: string } {
  const { facts, target, others } = rollout;
  const sets = [...others, target];
  const total = sumOf(sets, ({ replicas }) => replicas);
  const excess = total - mostOf(facts);
  const chosen = isScalingEvent(facts) && total > facts.replicas ? giveChosen(rollout) : [];
  if (chosen.length > 0) return { sizes: chosen };
  if (excess > 0) return { sizes: giveBack(rollout, excess, 'scaled down') };
  if (target.replicas < facts.replicas || total === facts.replicas) return { sizes: [] };
  const allowance = new Allowance(facts);
  const reason = `MachineSet ${target.name} has all ${machines(facts.replicas)}`;
  const sizes = giveBack(rollout, allowance.take(total - facts.replicas), reason);
  const { limit } = allowance;
  return {
    sizes: sizes.map((size) => ({ ...size, isOfRollout: true })),
    ...(limit !== undefined && { limit }),
  };
}

function giveBack({ facts, target, others }: Rollout, count: number, reason: string): Sizing[] {
  const giving = new Giving(count, spareOf(facts, [...others, target]));
  const once = others.map((set) => giving.take(set, presentIn(set) - underWayIn(set)));
  const twice = once.map((set) => giving.take(set, set.replicas));
  const left = [...twice, giving.take(target, Math.max(target.replicas - facts.replicas, 0))];
  return [...others, target].flatMap((set, index): Sizing[] => {
    const { replicas } = left[index] ?? set;
    return replicas < set.replicas ? [{ set, replicas, reason }] : [];
  });
}

/**
 * What was lost, or `replicas` ask for, the new set makes, as far as a canary lets it; an old one
 * the rest. As long as old machines are left that no agent works on, the new set has those of the
 * surge as well.
 */
function missingSizes(rollout: Rollout, limit: number): Sizing[] {
  const { facts, target, others } = rollout;
  const sets = [...others, target];
  const { replicas } = facts;
  const missing = missingIn(rollout);
  const undergoing = sumOf(others, underWayIn);
  const isSettled = unsettledOf(sets) === undefined;
  const isBegun = sumOf(others, (set) => set.replicas) > 0;
  const open = Math.min(replicas - undergoing, limit) - target.replicas;
  const surge = isBegun && isSettled ? Math.min(roomOf(rollout), open) : 0;
  const made = Math.min(missing, Math.max(Math.min(replicas, limit) - target.replicas, 0));
  const count = Math.max(made, surge);
  const sizes: Sizing[] = [];
  if (count > 0) {
    const size = { set: target, replicas: target.replicas + count };
    const lost = `${machines(missing)} missing`;
    const above = `room for ${count} more, at most ${machines(mostOf(facts))}`;
    sizes.push(
      surge > made ? { ...size, reason: above, isOfRollout: true } : { ...size, reason: lost },
    );
  }
  const keeper = missing > count && isSettled ? keeperOf(rollout) : undefined;
  if (keeper) {
    const rest = missing - count;
    const reason = `${machines(missing)} missing, of which the canary leaves ${rest} to old sets`;
    sizes.push({ set: keeper, replicas: keeper.replicas + rest, reason });
  }
  return sizes;
}
