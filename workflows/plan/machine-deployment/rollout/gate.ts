/** What DisruptionPolicies leave of a rollout: decision 58. */
import { canaryLimit } from './canary.ts';
import type { DeploymentFacts, ObservedDeployment } from './facts.ts';
import { availableAt, presentIn, sumOf } from './facts.ts';
import type { Hold } from './hold.ts';
import { isScalingEvent } from './scaling.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { exists, roomOf, unsettledOf } from './sizing.ts';

/** The rollout has machines to take. Those of OnDelete people take, which no policy bounds. */
export function takesMachines({ facts, others }: Rollout): boolean {
  return facts.strategy !== 'OnDelete' && others.some(({ replicas }) => replicas > 0);
}

/**
 * A closed gate, before the first step of a rollout or in the middle of it. Going back in the
 * middle waits for no window, exclusion or turn: what is under way is what has to go.
 */
export function closedHold(rollout: Rollout, now: number): Hold | undefined {
  const { gate } = rollout.facts;
  if (!gate || !takesMachines(rollout)) return undefined;
  const { closed } = gate;
  if (closed) {
    const { kind, isBlocked = false, policy, why, until } = closed;
    if (kind !== 'fault' && isGoingBack(rollout)) return undefined;
    return {
      ...holdBy(policy, `${sayOf(policy)}: ${why}`),
      next: isBlocked ? 'repair that one, or roll it back' : nextAfter[kind],
      ...((kind === 'fault' || isBlocked) && { needsPerson: true }),
      ...(until !== undefined && { until }),
    };
  }
  if (gate.until === undefined || gate.until > now || isGoingBack(rollout)) return undefined;
  // Nothing is taken on an answer whose time is over.
  const reason = 'The time that DisruptionPolicies gave is over';
  return { kind: 'policy', reason, next: 'they are read again' };
}

const nextAfter = {
  time: 'then the rollout goes on',
  turn: 'then it is the turn of this rollout',
  fault: 'correct the policy, or take the deployment from its selector',
};

/** The set that is gone back to is the one whose rollout was finished last. */
export function isGoingBack({ facts, target }: Rollout): boolean {
  return exists(target) && target.name === facts.finishedSet;
}

/**
 * Under a closed gate the new set makes what the rollout has taken: else windows that are shorter
 * than a drain would replace old machines by old ones, for ever. The old sets make it where new
 * machines fail, and what follows `replicas`. Undefined where that is so, or nothing is missing.
 */
export function fillUp(rollout: Rollout): Sizing[] | undefined {
  const { facts, target, others } = rollout;
  const sets = [target, ...others];
  const missing = facts.replicas - sumOf(sets, ({ replicas }) => replicas);
  const size = target.replicas + missing;
  const isFit = exists(target) && target.failing === undefined && target.problem === undefined;
  if (missing <= 0 || !isFit || facts.strategy === 'Recreate' || isScalingEvent(facts)) {
    return undefined;
  }
  if (size > (canaryLimit(facts, target) ?? Infinity)) return undefined;
  const count = unsettledOf(sets) ? 0 : Math.min(missing, roomOf(rollout));
  const reason = 'in place of what the rollout has taken';
  return count > 0 ? [{ set: target, replicas: target.replicas + count, reason }] : [];
}

/**
 * All that may be on their way are, none of them of this deployment, and nothing else is to do:
 * it waits for others, so its deadline stands still.
 */
export function limitHold(rollout: Rollout, { sizes, limit }: StrategyPlan): Hold | undefined {
  const { facts, target, others } = rollout;
  const { machines } = facts.gate ?? {};
  if (!machines || limit === undefined || sizes.length > 0) return undefined;
  const sets = [target, ...others];
  const isAtRest = sets.every(
    (set) =>
      set.isObserved &&
      set.going === 0 &&
      presentIn(set) === set.replicas &&
      (set.inPlace?.selected.length ?? 0) === 0,
  );
  if (!isAtRest || availableAt(target) < target.replicas) return undefined;
  return { ...holdBy(machines.policy, limit), next: 'then the next machines go' };
}

function holdBy(policy: string, reason: string): Pick<Hold, 'kind' | 'blockedBy' | 'reason'> {
  return { kind: 'policy', blockedBy: `DisruptionPolicy/${policy}`, reason };
}

const sayOf = (policy: string): string => `DisruptionPolicy ${policy}`;

/** Machines that the next step may take, and the words for it where that is less than it would. */
export class Allowance {
  readonly #machines: { policy: string; why: string } | undefined;
  #left: number;
  /** Why fewer were given than were asked for. */
  limit: string | undefined;

  constructor({ gate }: ObservedDeployment) {
    this.#machines = gate?.machines;
    this.#left = gate?.machines?.count ?? Infinity;
  }

  take(wanted: number): number {
    const count = Math.min(wanted, this.#left);
    this.#left -= count;
    if (count < wanted && this.#machines) {
      this.limit = `${sayOf(this.#machines.policy)}: ${this.#machines.why}`;
    }
    return count;
  }
}

/**
 * When a plan asks again what it may take: what other deployments do is no news to it. It waits for
 * as long as it has waited, between one and five minutes.
 */
export function asksAgainAt({ limitedSince }: DeploymentFacts, now: number): number {
  const waited = now - (limitedSince ?? now);
  return now + Math.min(Math.max(waited, minuteMs), 5 * minuteMs);
}

const minuteMs = 60_000;

/** Facts as they were read, with the time since when they allow no machine. */
export function withLimitedSince(
  before: DeploymentFacts | undefined,
  facts: DeploymentFacts,
  now: number,
): DeploymentFacts {
  if (facts.gate?.machines?.count !== 0) return facts;
  return { ...facts, limitedSince: before?.limitedSince ?? now };
}

/** Times at which the answer is another one. A clock that is behind asks once in a second. */
export function turningPointsOf({ facts, ...sets }: Rollout, now: number): (number | undefined)[] {
  const { closed, until } = facts.gate ?? {};
  if (!takesMachines({ facts, ...sets })) return [];
  return [closed?.until, until].map((at) => at && Math.max(at, now + 1_000));
}
