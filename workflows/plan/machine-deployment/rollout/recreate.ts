/** All old machines go before the first new one comes. */
import { awaited } from './awaited.ts';
import type { SetFacts } from './facts.ts';
import { isActive, sumOf } from './facts.ts';
import { Allowance } from './gate.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';

export function planRecreate(rollout: Rollout): StrategyPlan {
  const { facts, target, others } = rollout;
  const allowance = new Allowance(facts);
  const sizes = others.flatMap((set): Sizing[] => {
    const count = allowance.take(set.replicas);
    if (count === 0) return [];
    const words = 'Recreate: old machines go first';
    const reason = count < set.replicas ? `${allowance.limit}; ${words}` : words;
    return [{ set, replicas: set.replicas - count, reason, isOfRollout: true }];
  });
  const left = others.filter(isActive);
  if (left.length > 0) {
    const count = sumOf(left, machinesOf);
    const gone = `Recreate: ${count} old machines are to be gone first`;
    const { limit } = allowance;
    const reason = limit === undefined ? gone : `${gone}; ${limit}`;
    const next = `MachineSet ${target.name} gets ${facts.replicas} replicas`;
    return { sizes, mayCreate: false, reason, next, ...(limit !== undefined && { limit }) };
  }
  const { replicas } = facts;
  if (target.replicas === replicas) return { sizes, mayCreate: true, reason: awaited(rollout) };
  const size = { set: target, replicas, reason: `${replicas} replicas are wanted` };
  return { sizes: [size], mayCreate: true, reason: size.reason };
}

function machinesOf({ reported, machines, going }: SetFacts): number {
  return Math.max(reported, machines.length + going);
}
