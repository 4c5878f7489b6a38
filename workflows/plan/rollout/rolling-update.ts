/** New machines come before old ones go, within `maxSurge` and `maxUnavailable`. */
import { awaited } from './awaited.ts';
import type { SetFacts } from './facts.ts';
import { sumOf } from './facts.ts';
import { growthOf } from './new-set-size.ts';
import { shrinkOldSets } from './old-set-sizes.ts';
import { isScalingEvent, shrinkInProportion } from './scaling.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { machines } from './words.ts';

/** @param limit Machines that the new set may have for now, see hold.ts. */
export function planRollingUpdate(rollout: Rollout, limit = Infinity): StrategyPlan {
  const { facts, target, others } = rollout;
  const shares = isScalingEvent(facts) ? sharesOfScaleDown(rollout) : [];
  if (shares.length > 0) {
    return { sizes: shares, mayCreate: true, reason: shares[0]?.reason ?? '' };
  }
  const growth = growthOf(rollout, limit);
  const shrunk = shrinkOldSets({ ...rollout, target: shrunkOnly(target, growth.size) }, limit);
  const sizes = growth.size ? [growth.size, ...shrunk] : shrunk;
  const left = sumOf(others, ({ replicas }) => replicas);
  return {
    sizes,
    mayCreate: true,
    reason: sizes[0]?.reason ?? awaited(rollout, growth.obstacle),
    ...(left > 0 && {
      next: `still to be replaced: ${machines(left)} of ${namesOf(others)}`,
    }),
  };
}

/** What the new set loses in this plan, the old ones cannot count on; what it gains is not there yet. */
function shrunkOnly(target: SetFacts, size: Sizing | undefined): SetFacts {
  return size && size.replicas < target.replicas ? { ...target, replicas: size.replicas } : target;
}

/** The order of a scale-down and of a surplus of the new set is that of the rollout when only one set has machines. */
function sharesOfScaleDown(rollout: Rollout) {
  const { facts, target, others } = rollout;
  const sets = [target, ...others].filter(({ replicas }) => replicas > 0);
  const most = facts.replicas === 0 ? 0 : facts.replicas + facts.maxSurge;
  const hasSeveral = sets.length > 1;
  const isTooMany = sumOf(sets, ({ replicas }) => replicas) > most;
  return hasSeveral && isTooMany ? shrinkInProportion(rollout) : [];
}

function namesOf(sets: readonly SetFacts[]): string {
  return sets
    .filter(({ replicas }) => replicas > 0)
    .map(({ name }) => name)
    .join(', ');
}
