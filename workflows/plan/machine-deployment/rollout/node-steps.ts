/**
 * Nodes in a rollout: old ones are avoided by new pods, and none is taken away by the cluster
 * autoscaler.
 */
import { isActive } from './facts.ts';
import type { Hold } from './hold.ts';
import type { Rollout } from './sizing.ts';
import { isOver } from './state.ts';
import type { NodeStep } from './steps.ts';

/** One at a time; undefined when all Nodes are as they should be. Rules: MCM v0.62.1. */
export function planNodes(rollout: Rollout, hold?: Hold): NodeStep | undefined {
  if (!rollout.facts.hasNodes) return undefined;
  return planTaints(rollout) ?? planProtection(rollout, hold);
}

/** Plans the Nodes of a rollout that stands still as a whole. A pause leaves them, as with MCM. */
export function planHeldNodes(rollout: Rollout, hold: Hold): NodeStep | undefined {
  if (!rollout.facts.hasNodes || hold.kind === 'paused') return undefined;
  return planProtection(rollout, hold);
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

function planProtection(rollout: Rollout, hold: Hold | undefined): NodeStep | undefined {
  const { unprotectedNodes: nodes, hasProtectedNodes, protectsNodes, strategy } = rollout.facts;
  if (!protectsNodes) return undefined;
  // How long OnDelete or a hold takes is not known: the cluster autoscaler is not to stand still
  // for so long.
  const isBrief = strategy !== 'OnDelete' && !hold;
  if (isBrief && nodes.length > 0 && rollout.others.some(isActive)) {
    const reason = 'the cluster autoscaler leaves Nodes alone during a rollout';
    return { action: 'protectNodes', nodes, reason };
  }
  if (!hasProtectedNodes || (isBrief && !isOver(rollout))) return undefined;
  const reason = hold ? 'the rollout stands still' : 'the rollout is over';
  return { action: 'releaseNodes', reason };
}
