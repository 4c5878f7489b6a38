/** How many machines the new set may have now. */
import type { SetFacts } from './facts.ts';
import { isActive } from './facts.ts';
import type { Rollout, Sizing } from './sizing.ts';
import { machines } from './words.ts';
import { affordable, roomOf, spareOf, unsettledOf } from './sizing.ts';

export interface Growth {
  size?: Sizing;
  /** Why it does not grow though machines are missing. */
  obstacle?: string;
}

/**
 * MCM v0.62.1 adds up `status.replicas`, which lags behind; here each set counts the machines that
 * there are and those that it is still to make. A machine that is going away counts until it is
 * gone, so the surge is there again only then.
 *
 * 10 replicas, surge 2, the old set has 8 machines and 1 that is going, the new one 2: there is
 * room for 12 - 8 - 1 - 2 = 1.
 */
export function growthOf(rollout: Rollout, limit = Infinity): Growth {
  const { facts, target, others } = rollout;
  const { replicas, maxSurge } = facts;
  if (!others.some(isActive)) return alone(target, replicas);
  if (target.replicas > replicas) return surplusOf(rollout);
  const wanted = Math.max(Math.min(replicas, limit), target.replicas);
  if (target.replicas === wanted) return {};
  const unsettled = unsettledOf([...others, target]);
  if (unsettled) return { obstacle: `MachineSet ${unsettled.name} still works on its size` };
  const room = roomOf(rollout);
  const size = Math.min(target.replicas + Math.max(room, 0), wanted);
  const most = machines(replicas + maxSurge);
  if (size === target.replicas) return { obstacle: `no room for more, at most ${most}` };
  const reason = `room for ${room} more, at most ${most}`;
  return { size: { set: target, replicas: size, reason, isOfRollout: true } };
}

/**
 * Only scaling, no rollout: as in MCM v0.62.1 the size is simply what is wanted. Machines that go
 * away, maybe for hours as their drain waits, do not hold up those that are wanted now.
 */
function alone(target: SetFacts, replicas: number): Growth {
  if (target.replicas === replicas) return {};
  return { size: { set: target, replicas, reason: `${machines(replicas)} wanted` } };
}

/**
 * Scaled down while old machines are still needed: it gives Running ones only as far as they are
 * spared.
 */
function surplusOf({ facts, target, others }: Rollout): Growth {
  const surplus = target.replicas - facts.replicas;
  const count = affordable(target, surplus, spareOf(facts, [...others, target]));
  if (count === 0) return { obstacle: `${machines(surplus)} of it too many, but still needed` };
  const reason = `${machines(facts.replicas)} wanted`;
  return { size: { set: target, replicas: target.replicas - count, reason } };
}
