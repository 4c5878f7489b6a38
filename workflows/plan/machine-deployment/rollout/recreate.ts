/** All old machines go before the first new one comes. */
import { awaited } from './awaited.ts';
import type { SetFacts } from './facts.ts';
import { isActive, sumOf } from './facts.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';

export function planRecreate(rollout: Rollout): StrategyPlan {
  const { facts, target, others } = rollout;
  const sizes: Sizing[] = others
    .filter(({ replicas }) => replicas > 0)
    .map((set) => ({
      set,
      replicas: 0,
      reason: 'Recreate: old machines go first',
      isOfRollout: true,
    }));
  const left = others.filter(isActive);
  if (left.length > 0) {
    const count = sumOf(left, machinesOf);
    const reason = `Recreate: ${count} old machines are to be gone first`;
    const next = `MachineSet ${target.name} gets ${facts.replicas} replicas`;
    return { sizes, mayCreate: false, reason, next };
  }
  const { replicas } = facts;
  if (target.replicas === replicas) return { sizes, mayCreate: true, reason: awaited(rollout) };
  const size = { set: target, replicas, reason: `${replicas} replicas are wanted` };
  return { sizes: [size], mayCreate: true, reason: size.reason };
}

function machinesOf({ reported, machines, going }: SetFacts): number {
  return Math.max(reported, machines.length + going);
}
