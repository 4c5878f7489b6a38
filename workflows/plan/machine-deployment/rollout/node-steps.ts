/**
 * Nodes in a rollout: old ones are avoided by new pods, and none is taken away by the cluster
 * autoscaler.
 */
import { isActive } from './facts.ts';
import type { Rollout } from './sizing.ts';
import { isOver } from './state.ts';
import type { NodeStep } from './steps.ts';

/** One at a time; undefined when all Nodes are as they should be. Rules: MCM v0.62.1. */
export function planNodes(rollout: Rollout): NodeStep | undefined {
  if (!rollout.facts.hasNodes) return undefined;
  return planTaints(rollout) ?? (rollout.facts.protectsNodes ? planProtection(rollout) : undefined);
}

function planTaints({ facts, target, others }: Rollout): NodeStep | undefined {
  if (target.isTainted) {
    return { action: 'untaintNodes', set: target.name, reason: `${target.name} is wanted again` };
  }
  // With Recreate all machines go at once: there is no Node that pods should rather go to.
  if (facts.strategy === 'Recreate') return undefined;
  const set = others.find((old) => isActive(old) && !old.isDeleting && !old.isTainted);
  if (!set) return undefined;
  const reason = `new pods rather go to Nodes of ${target.name}`;
  return { action: 'taintNodes', set: set.name, reason };
}

function planProtection(rollout: Rollout): NodeStep | undefined {
  const { unprotectedNodes: nodes, hasProtectedNodes, strategy } = rollout.facts;
  // How long OnDelete takes is not known: the cluster autoscaler is not to stand still for so long.
  const isBrief = strategy !== 'OnDelete';
  if (isBrief && nodes.length > 0 && rollout.others.some(isActive)) {
    const reason = 'the cluster autoscaler leaves Nodes alone during a rollout';
    return { action: 'protectNodes', nodes, reason };
  }
  if (!hasProtectedNodes || (isBrief && !isOver(rollout))) return undefined;
  return { action: 'releaseNodes', reason: 'the rollout is over' };
}
