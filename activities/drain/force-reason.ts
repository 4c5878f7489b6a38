/** When the pods on a Node cannot be asked any more. */
import type { Period } from '../../workflows/values/pauses.ts';
import { deadlineOf } from '../../workflows/values/pauses.ts';
import type { Node } from '../../kube/objects/nodes.ts';

const longestSickness = 5 * 60_000;

/**
 * Why its pods cannot be asked any more: it has not been Ready, or cannot write, for over 5
 * minutes. Pauses in which it could not report do not count.
 */
export function forceReason(
  node: Node,
  now: number,
  pauses: readonly Period[] = [],
): string | undefined {
  const rules = [
    { type: 'Ready', healthy: 'True' },
    { type: 'ReadonlyFilesystem', healthy: 'False' },
  ];
  for (const { type, healthy } of rules) {
    const condition = node.status?.conditions?.find((one) => one.type === type);
    if (!condition || condition.status === healthy) continue;
    const from = Date.parse(condition.lastTransitionTime ?? '');
    const isOver = now > deadlineOf({ from, timeoutMs: longestSickness }, pauses);
    if (isOver) return `${type} is ${condition.status} for over 5 minutes`;
  }
  return undefined;
}
