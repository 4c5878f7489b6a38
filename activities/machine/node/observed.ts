/** Fields of a Node that its Machine's workflow may know, and its faults. */
import type { Node } from '../../../kube/objects/nodes.ts';
import type { ReadNode } from '../../../workflows/contracts/node-activities.ts';
import { taints } from '../../../workflows/api/constants.ts';
import { longestProviderID } from '../../../workflows/api/validation.ts';
import { preserveNoteIn } from '../../../workflows/api/preservation.ts';
import { isReady } from '../../../kube/objects/nodes.ts';
import { nodeFaults } from '../../../workflows/plan/machine/health.ts';
import type { Taint } from '../../../workflows/api/machine.ts';
import { otherNamespaceIn } from './claims.ts';

/** Returns what the workflow may know of the Node. `namespace`: that of its Machine. */
export function seenNodeOf(node: Node, namespace: string): ReadNode {
  const { metadata, spec } = node;
  const preserve = preserveNoteIn(metadata.annotations);
  return {
    name: metadata.name,
    uid: metadata.uid,
    providerID: (spec?.providerID ?? '').slice(0, longestProviderID),
    resourceVersion: metadata.resourceVersion,
    isReady: isReady(node),
    isDeleting: metadata.deletionTimestamp !== undefined,
    isWaitingForCriticalComponents: spec?.taints?.some(isCritical) ?? false,
    ...(preserve !== '' && { preserve }),
    ...(otherNamespaceIn(metadata, namespace) !== undefined && { isOfOthers: true as const }),
  };
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

export function isCritical({ key, effect }: Taint): boolean {
  return key === taints.criticalComponentsNotReady && effect === 'NoSchedule';
}
