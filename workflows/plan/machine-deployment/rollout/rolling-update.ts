/** New machines come before old ones go, within `maxSurge` and `maxUnavailable`. */
import { awaited } from './awaited.ts';
import type { SetFacts } from './facts.ts';
import { sumOf, availableAt } from './facts.ts';
import { Allowance } from './gate.ts';
import { keepServed } from './keeper.ts';
import { growthOf } from './new-set-size.ts';
import { giveChosen, isScalingEvent, shrinkInProportion } from './scaling.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { mostOf, affordable, floorOf, shrunkBy, spareOf, spareWithout } from './sizing.ts';
import { machines } from './words.ts';

/** @param limit Machines that the new set may have for now, see hold.ts. */
export function planRollingUpdate(rollout: Rollout, limit = Infinity): StrategyPlan {
  const { facts, others } = rollout;
  const shares = isScalingEvent(facts) ? sharesOfScaleDown(rollout) : [];
  if (shares.length > 0) {
    return { sizes: shares, mayCreate: true, reason: shares[0]?.reason ?? '' };
  }
  const allowance = new Allowance(facts);
  const { sizes, obstacle } = sizesOf(rollout, limit, allowance);
  const left = sumOf(others, ({ replicas }) => replicas);
  return {
    sizes,
    mayCreate: true,
    reason: sizes[0]?.reason ?? awaited(rollout, allowance.limit ?? obstacle),
    ...(allowance.limit !== undefined && { limit: allowance.limit }),
    ...(left > 0 && {
      next: `still to be replaced: ${machines(left)} of ${namesOf(others)}`,
    }),
  };
}

function sizesOf(
  rollout: Rollout,
  limit: number,
  allowance: Allowance,
): { sizes: Sizing[]; obstacle?: string } {
  const { size, obstacle } = growthOf(rollout, limit);
  const target = shrunkOnly(rollout.target, size);
  const old = shrinkOldSets({ ...rollout, target }, limit, allowance);
  const sizes = [...(size ? [size] : []), ...old];
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

/**
 * 10 replicas, none may be missing, surge 3: the old set has 10 machines of which 2 do not work,
 * the new one 3, all available. 13 - 10 = 3 may go: the 2 that do not work, and, as 11 are
 * available, 1 that does.
 *
 * @param limit Machines that the new set may have for now, see hold.ts. The old sets keep the rest:
 *   `maxUnavailable` is for
 * the time that a replacement takes, not for as long as a person inspects a canary.
 * @param allowance A bound of its own: a scale-down shares the others, and is not bound by it.
 */
export function shrinkOldSets(
  { facts, target, others }: Rollout,
  limit = Infinity,
  allowance = new Allowance(facts),
): Sizing[] {
  const sets = [...others, target];
  // A new set that was larger than the canary before there was one has the rest already.
  const kept = Math.max(facts.replicas - Math.max(limit, target.replicas), 0);
  const shrinking = new Shrinking(others, { kept, spare: spareOf(facts, sets), allowance });
  const missingNew = Math.max(target.replicas - availableAt(target), 0);
  const floor = floorOf(facts);
  shrinking.take(sumOf(sets, (set) => set.replicas) - floor - missingNew, {
    candidatesIn: (set) => set.replicas - availableAt(set),
    reason: 'machines that are not available go first',
  });
  const available = shrinking.available + availableAt(target);
  shrinking.take(available - floor, {
    candidatesIn: (set) => set.replicas,
    reason: `${machines(available)} available, ${floor} needed`,
  });
  return shrinking.sizings;
}

interface Taking {
  candidatesIn: (set: SetFacts) => number;
  reason: string;
}

interface Bounds {
  kept: number;
  spare: number;
  allowance: Allowance;
}

class Shrinking {
  readonly sizings: Sizing[] = [];
  #sets: SetFacts[];
  /** Machines that old sets keep in all. */
  readonly #kept: number;
  /** Running machines that may still go. */
  #spare: number;
  readonly #allowance: Allowance;

  constructor(sets: readonly SetFacts[], { kept, spare, allowance }: Bounds) {
    this.#sets = [...sets];
    this.#kept = kept;
    this.#spare = spare;
    this.#allowance = allowance;
  }

  get available(): number {
    return sumOf(this.#sets, (set) => availableAt(set));
  }

  /** Takes `most` machines in all, oldest set first, from each at most its candidates. */
  take(most: number, { candidatesIn, reason }: Taking): void {
    const above = sumOf(this.#sets, ({ replicas }) => replicas) - this.#kept;
    let left = Math.max(Math.min(most, above), 0);
    this.#sets = this.#sets.map((set) => {
      const wanted = affordable(set, Math.min(left, candidatesIn(set)), this.#spare);
      const count = this.#allowance.take(wanted);
      if (count === 0) return set;
      left -= count;
      this.#spare = spareWithout(set, count, this.#spare);
      const smaller = shrunkBy(set, count);
      const words = count < wanted ? `${this.#allowance.limit}; ${reason}` : reason;
      this.#note({ set, replicas: smaller.replicas, reason: words });
      return smaller;
    });
  }

  #note({ set, replicas, reason }: Sizing): void {
    const sizing = this.sizings.find((known) => known.set.name === set.name);
    if (sizing) {
      sizing.replicas = replicas;
      sizing.reason += `; ${reason}`;
    } else this.sizings.push({ set, replicas, reason, isOfRollout: true });
  }
}
