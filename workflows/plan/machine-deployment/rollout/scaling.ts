/** `replicas` changed while several sets have machines. */
import type { ObservedDeployment, SetFacts } from './facts.ts';
import { sumOf } from './facts.ts';
import type { Rollout, Sizing } from './sizing.ts';
import {
  affordable,
  exists,
  mostOf,
  roomOf,
  shrunkBy,
  spareOf,
  spareWithout,
  unsettledOf,
} from './sizing.ts';

/** Some set was last scaled for another number of replicas. */
export function isScalingEvent({ replicas, sets }: ObservedDeployment): boolean {
  return sets.some(
    ({ desired, replicas: size }) => size > 0 && desired !== undefined && desired !== replicas,
  );
}

/**
 * The number was lowered, and a cluster autoscaler has chosen machines: of several sets those give
 * that have them, the latest choice first, as an earlier one may be left of an autoscaler that died
 * before it lowered the number. Never more than the number fell by, nor a Running machine that
 * `maxUnavailable` does not spare, see `affordable`.
 */
export function giveChosen({ facts, target, others }: Rollout): Sizing[] {
  const sets = [...others, target].filter(({ replicas }) => replicas > 0);
  const lowered = Math.max(...sets.map(({ desired = 0 }) => desired)) - facts.replicas;
  const surplus = sumOf(sets, ({ replicas }) => replicas) - facts.replicas;
  const giving = new Giving(Math.min(lowered, surplus), spareOf(facts, [...others, target]));
  const choices = sets.flatMap((set) => (set.chosen ?? []).map((at) => ({ name: set.name, at })));
  const latest = choices.toSorted((a, b) => b.at - a.at).slice(0, Math.max(giving.excess, 0));
  const reason = 'the cluster autoscaler chose machines of this set';
  return sets.flatMap((set) => {
    const { replicas } = giving.take(set, latest.filter(({ name }) => name === set.name).length);
    return replicas < set.replicas ? [{ set, replicas, reason }] : [];
  });
}

/**
 * Fewer machines are wanted than the sets have: each gives its share, by the most that there could
 * be then and now.
 *
 * 10 -> 5 replicas, surge 2, the sets have 8 and 4: 12 - 7 = 5 machines go; round(8 * 7 / 12) = 5
 * and round(4 * 7 / 12) = 2 stay. Where MCM v0.62.1 takes the share whatever it hits, here it takes
 * no Running machine that `maxUnavailable` does not spare. Machines that a share leaves, other sets
 * give, the largest first: machines that never come up would else stay above the limit for as long
 * as the rollout waits for them.
 */
export function shrinkInProportion({ facts, target, others }: Rollout): Sizing[] {
  const sets = [...others, target].filter(({ replicas }) => replicas > 0);
  const total = sumOf(sets, ({ replicas }) => replicas);
  const most = mostOf(facts);
  const giving = new Giving(total - most, spareOf(facts, [...others, target]));
  const left = sharesOf(sets, { most, total }).map(({ set, count }) => ({
    set,
    rest: giving.take(set, count),
  }));
  return left.flatMap(({ set, rest }) => {
    const { replicas } = giving.take(rest, rest.replicas);
    return replicas < set.replicas ? [{ set, replicas, reason: reasonOf(facts) }] : [];
  });
}

/** `excess`: machines that are still to go; `spare`: Running ones among them that may. */
export class Giving {
  #excess: number;
  #spare: number;

  constructor(excess: number, spare: number) {
    this.#excess = excess;
    this.#spare = spare;
  }

  get excess(): number {
    return this.#excess;
  }

  /** The set without what it gives. */
  take(set: SetFacts, most: number): SetFacts {
    const count = affordable(set, Math.min(most, this.#excess), this.#spare);
    this.#excess -= count;
    this.#spare = spareWithout(set, count, this.#spare);
    return shrunkBy(set, count);
  }
}

function reasonOf({ replicas }: ObservedDeployment): string {
  return `scaled to ${replicas} replicas in the middle of a rollout: each set gives its share`;
}

interface Share {
  set: SetFacts;
  count: number;
}

/** The largest set gives first, and what rounding leaves. */
function sharesOf(
  sets: readonly SetFacts[],
  { most, total }: { most: number; total: number },
): Share[] {
  const shares = sets
    .toSorted((a, b) => b.replicas - a.replicas)
    .map((set) => ({ set, count: shareOf(set, most, total) }));
  const [largest] = shares;
  const given = shares.reduce((sum, { count }) => sum + count, 0);
  if (largest) largest.count += Math.max(total - most - given, 0);
  return shares;
}

function shareOf({ replicas, max }: SetFacts, most: number, total: number): number {
  const before = max === undefined || max === 0 ? total : max;
  return Math.max(replicas - Math.round((replicas * most) / before), 0);
}

/**
 * Sizes while the rollout itself stands still, at every read: the sets are to have `replicas` as
 * soon as there is room. As in MCM v0.62.1 one set follows `replicas`; of several, one takes all
 * that is missing and each gives its share of what is too much. `taker` is the one that takes.
 *
 * @param surge Machines above `replicas` that it takes when `replicas` changed: MCM fills up the
 *   surge of a paused rollout.
 */
export function scaleHeld(rollout: Rollout, taker: SetFacts, surge: number): Sizing[] {
  const { facts, target, others } = rollout;
  const sets = [...others, target].filter(exists);
  const active = sets.filter(({ replicas }) => replicas > 0);
  if (active.length <= 1) return resize(active[0] ?? taker, facts.replicas);
  const size = sumOf(sets, ({ replicas }) => replicas);
  const chosen = giveChosen(rollout);
  if (chosen.length > 0) return chosen;
  if (size > mostOf(facts)) return shrinkInProportion(rollout);
  const missing = facts.replicas + (isScalingEvent(facts) ? surge : 0) - size;
  if (unsettledOf(sets)) return [];
  const count = Math.min(missing, roomOf(rollout), facts.replicas - taker.replicas);
  return count > 0 ? resize(taker, taker.replicas + count) : [];
}

function resize(set: SetFacts, replicas: number): Sizing[] {
  if (!exists(set) || set.replicas === replicas) return [];
  return [{ set, replicas, reason: `${replicas} replicas are wanted` }];
}
