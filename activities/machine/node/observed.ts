/** Fields of a Node that its Machine's workflow may know, and its faults. */
import type { Node } from '../../../kube/objects/nodes.ts';
import type { ReadNode } from '../../../workflows/contracts/snapshots.ts';
import { isCritical, snapshotOfNode } from '../../../workflows/contracts/snapshots.ts';
import { taints } from '../../../workflows/api/constants.ts';
import { isReady } from '../../../kube/objects/nodes.ts';
import { nodeFaults } from '../../../workflows/plan/machine/health.ts';
import { otherNamespaceIn } from './claims.ts';

/** Returns what the workflow may know of the Node. `namespace`: that of its Machine. */
export function seenNodeOf(node: Node, namespace: string): ReadNode {
  const isOfOthers = otherNamespaceIn(node.metadata, namespace) !== undefined;
  return { ...snapshotOfNode(node), ...(isOfOthers && { isOfOthers }) };
}

/** Returns why the machine is not Running with this Node; undefined when it is. */
export function obstacleOf(
  node: Node | undefined,
  /** Types of conditions that must be False. */
  harmful: readonly string[],
): string | undefined {
  if (!node) return 'the Node is gone';
  if (node.metadata.deletionTimestamp !== undefined) return 'the Node is being deleted';
  if (!isReady(node)) return 'the Node is not Ready';
  const faults = nodeFaults(node.status?.conditions ?? [], harmful);
  if (faults.length > 0) return faults.join('; ');
  return node.spec?.taints?.some(isCritical)
    ? `the Node has the taint ${taints.criticalComponentsNotReady}`
    : undefined;
}
