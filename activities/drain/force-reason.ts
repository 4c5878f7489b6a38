/** When the pods on a Node cannot be asked any more. */
import type { Node } from '../kube/objects/nodes.ts';

const longestSickness = 5 * 60_000;

/**
 * Why its pods cannot be asked any more: it has not been Ready, or cannot write, for over 5
 * minutes.
 */
export function forceReason(node: Node, now: number): string | undefined {
  const rules = [
    { type: 'Ready', healthy: 'True' },
    { type: 'ReadonlyFilesystem', healthy: 'False' },
  ];
  for (const { type, healthy } of rules) {
    const condition = node.status?.conditions?.find((one) => one.type === type);
    if (!condition || condition.status === healthy) continue;
    const since = Date.parse(condition.lastTransitionTime ?? '');
    if (now - since > longestSickness) return `${type} is ${condition.status} for over 5 minutes`;
  }
  return undefined;
}
