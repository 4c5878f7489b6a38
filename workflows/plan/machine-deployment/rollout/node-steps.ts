/**
 * Nodes in a rollout: old ones are avoided by new pods, and none is taken away by the cluster
 * autoscaler.
 */
import { isActive, workedOnIn } from './facts.ts';
import type { Hold } from './hold.ts';
import { keepsNodes } from './hold.ts';
import type { Rollout } from './sizing.ts';
import { isOver } from './state.ts';
import type { InPlaceStep, NodeStep } from './steps.ts';

/** Whether the rollout goes on. */
export interface Standing {
  now: number;
  hold?: Hold | undefined;
  /** See `standsStill`, milliseconds. Absent: it was not before. */
  heldSince?: number | undefined;
}

export interface NodePlan {
  /** One at a time; undefined when all Nodes are as they should be for now. */
  nodeStep?: NodeStep;
  /** Plan again then, milliseconds. */
  until?: number;
}

/**
 * Rules: MCM v0.62.1.
 *
 * @param ofUpdate The step of an update in place. What an agent has finished comes before all else;
 *   no Node is a candidate before new pods avoid it.
 */
export function planNodes(rollout: Rollout, standing: Standing, ofUpdate?: InPlaceStep): NodePlan {
  const taints = rollout.facts.hasNodes ? planTaints(rollout) : undefined;
  const step = ofUpdate && isFinishing(ofUpdate) ? ofUpdate : (taints ?? ofUpdate);
  return step ? { nodeStep: step } : planProtection(rollout, standing);
}

function isFinishing({ action }: InPlaceStep): boolean {
  return action !== 'markCandidates' && action !== 'selectForUpdate';
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

/** Of a rollout that stands still as a whole, too. */
export function planProtection(rollout: Rollout, standing: Standing): NodePlan {
  const { hasNodes, protectsNodes, unprotectedNodes: nodes, strategy } = rollout.facts;
  const { hold } = standing;
  if (!hasNodes || !protectsNodes || (hold && keepsNodes(hold))) return {};
  // An empty Node that an agent works on is what the cluster autoscaler looks for.
  const isWorking = [...rollout.others, rollout.target].some((set) => workedOnIn(set).length > 0);
  if (hold && isWorking) return {};
  // How long OnDelete or a hold takes is not known: the cluster autoscaler is not to stand still
  // for so long.
  const isBrief = strategy !== 'OnDelete' && !hold;
  if (isBrief && nodes.length > 0 && rollout.others.some(isActive)) {
    const reason = 'the cluster autoscaler leaves Nodes alone during a rollout';
    return { nodeStep: { action: 'protectNodes', nodes, reason } };
  }
  return isBrief && !isOver(rollout) ? {} : planRelease(rollout, standing);
}

/** Each release, and each protection after it, is a write to every Node. */
const briefHoldMs = 60_000;

function planRelease({ facts }: Rollout, { hold, heldSince, now }: Standing): NodePlan {
  if (!facts.hasProtectedNodes) return {};
  const until = (heldSince ?? now) + briefHoldMs;
  if (hold && facts.strategy !== 'OnDelete' && now < until) return { until };
  const reason = hold ? 'the rollout stands still' : 'the rollout is over';
  return { nodeStep: { action: 'releaseNodes', reason } };
}
