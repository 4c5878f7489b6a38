/** `replicas` changed while several sets have machines. */
import type { DeploymentFacts, SetFacts } from './facts.ts';
import { sumOf, totalOf } from './facts.ts';
import type { Rollout, Sizing } from './sizing.ts';
import { affordable, exists, lossOf, spareOf, unsettledOf } from './sizing.ts';

/** Some set was last scaled for another number of replicas. */
export function isScalingEvent({ replicas, sets }: DeploymentFacts): boolean {
  return sets.some(
    ({ desired, replicas: size }) => size > 0 && desired !== undefined && desired !== replicas,
  );
}

/**
 * Fewer machines are wanted than the sets have: each gives its share, by the most that there could be then and now.
 *
 * 10 -> 5 replicas, surge 2, the sets have 8 and 4: 12 - 7 = 5 machines go; round(8 * 7 / 12) = 5 and
 * round(4 * 7 / 12) = 2 stay. Where MCM v0.62.1 takes the share whatever it hits, here it takes no Running machine
 * that `maxUnavailable` does not spare; the rollout takes the rest later.
 */
export function shrinkInProportion({ facts, target, others }: Rollout): Sizing[] {
  const sets = [...others, target].filter(({ replicas }) => replicas > 0);
  const most = facts.replicas === 0 ? 0 : facts.replicas + facts.maxSurge;
  const total = sumOf(sets, ({ replicas }) => replicas);
  let excess = total - most;
  let spare = spareOf(facts, [...others, target]);
  const sizings: Sizing[] = [];
  for (const { set, count: share } of sharesOf(sets, { most, total })) {
    const count = affordable(set, Math.min(share, excess), spare);
    excess -= count;
    spare -= lossOf(set, count);
    if (count > 0) sizings.push({ set, replicas: set.replicas - count, reason: reasonOf(facts) });
  }
  return sizings;
}

function reasonOf({ replicas }: DeploymentFacts): string {
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
 * Scaling while the rollout itself stands still. As in MCM v0.62.1 one set follows `replicas`; of several, one takes all
 * that is new and each gives its share of what is to go. `grower` is the one that takes.
 *
 * @param surge Machines above `replicas` that it may take: MCM fills up the surge of a paused rollout.
 */
export function scaleHeld(rollout: Rollout, grower: SetFacts, surge: number): Sizing[] {
  const { facts, target, others } = rollout;
  const sets = [...others, target].filter(exists);
  const active = sets.filter(({ replicas }) => replicas > 0);
  if (active.length <= 1) return resize(active[0] ?? grower, facts.replicas);
  if (!isScalingEvent(facts)) return [];
  const most = facts.replicas + facts.maxSurge;
  const size = sumOf(sets, ({ replicas }) => replicas);
  if (facts.replicas === 0 || size > most) return shrinkInProportion(rollout);
  const missing = facts.replicas + surge - size;
  if (unsettledOf(sets)) return [];
  const room = Math.min(missing, most - sumOf(sets, totalOf), facts.replicas - grower.replicas);
  return room > 0 ? resize(grower, grower.replicas + room) : [];
}

function resize(set: SetFacts, replicas: number): Sizing[] {
  if (!exists(set) || set.replicas === replicas) return [];
  return [{ set, replicas, reason: `${replicas} replicas are wanted` }];
}
