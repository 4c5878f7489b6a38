/** New machines come before old ones go, within `maxSurge` and `maxUnavailable`. */
import { awaited } from './awaited.ts';
import type { SetFacts } from './facts.ts';
import { sumOf } from './facts.ts';
import { keepServed } from './keeper.ts';
import { growthOf } from './new-set-size.ts';
import { shrinkOldSets } from './old-set-sizes.ts';
import { giveChosen, isScalingEvent, shrinkInProportion } from './scaling.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { mostOf } from './sizing.ts';
import { machines } from './words.ts';

/** @param limit Machines that the new set may have for now, see hold.ts. */
export function planRollingUpdate(rollout: Rollout, limit = Infinity): StrategyPlan {
  const { facts, others } = rollout;
  const shares = isScalingEvent(facts) ? sharesOfScaleDown(rollout) : [];
  if (shares.length > 0) {
    return { sizes: shares, mayCreate: true, reason: shares[0]?.reason ?? '' };
  }
  const { sizes, obstacle } = sizesOf(rollout, limit);
  const left = sumOf(others, ({ replicas }) => replicas);
  return {
    sizes,
    mayCreate: true,
    reason: sizes[0]?.reason ?? awaited(rollout, obstacle),
    ...(left > 0 && {
      next: `still to be replaced: ${machines(left)} of ${namesOf(others)}`,
    }),
  };
}

function sizesOf(rollout: Rollout, limit: number): { sizes: Sizing[]; obstacle?: string } {
  const { size, obstacle } = growthOf(rollout, limit);
  const target = shrunkOnly(rollout.target, size);
  const sizes = [...(size ? [size] : []), ...shrinkOldSets({ ...rollout, target }, limit)];
  const kept = limit === Infinity ? undefined : keepServed(rollout, limit, sizes);
  if (kept) sizes.push(kept);
  return { sizes, ...(obstacle !== undefined && { obstacle }) };
}

/**
 * The old sets cannot count on machines that the new one loses in this plan; those that it gains
 * are not there yet.
 */
function shrunkOnly(target: SetFacts, size: Sizing | undefined): SetFacts {
  return size && size.replicas < target.replicas ? { ...target, replicas: size.replicas } : target;
}

/**
 * The order of a scale-down and of a surplus of the new set is that of the rollout when only one
 * set has machines.
 */
function sharesOfScaleDown(rollout: Rollout) {
  const { facts, target, others } = rollout;
  const sets = [target, ...others].filter(({ replicas }) => replicas > 0);
  const hasSeveral = sets.length > 1;
  const chosen = hasSeveral ? giveChosen(rollout) : [];
  if (chosen.length > 0) return chosen;
  const isTooMany = sumOf(sets, ({ replicas }) => replicas) > mostOf(facts);
  return hasSeveral && isTooMany ? shrinkInProportion(rollout) : [];
}

function namesOf(sets: readonly SetFacts[]): string {
  return sets
    .filter(({ replicas }) => replicas > 0)
    .map(({ name }) => name)
    .join(', ');
}
