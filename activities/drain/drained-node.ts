/** What a drain does to the Node itself. */
import type { KubeClient } from '../kube/client.ts';
import { orUndefined } from '../kube/optional.ts';
import { node as nodePath } from '../kube/paths.ts';
import { timestamp } from '../machine/object.ts';
import type { Node } from '../machine/node.ts';
import { readNode } from '../machine/node.ts';

/** Cordons, and says why. Undefined when the Node is gone: there is nothing left to drain. Writes only what is not there. */
export async function closeNode(target: KubeClient, name: string): Promise<Node | undefined> {
  const node = await readNode(target, name);
  if (!node) return undefined;
  if (node.spec?.unschedulable !== true) {
    const patch = { spec: { unschedulable: true } };
    if (!(await orUndefined(target.patch(nodePath(name), 'merge', patch)))) return undefined;
  }
  if (!isTrue(node, 'Terminating')) await markTerminating(target, name);
  return node;
}

function isTrue({ status }: Node, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') ?? false;
}

async function markTerminating(target: KubeClient, name: string): Promise<void> {
  const now = timestamp();
  const condition = {
    type: 'Terminating',
    status: 'True',
    reason: 'ScaleDown',
    message: 'Machine Controller is scaling down machine',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const patch = { status: { conditions: [condition] } };
  await orUndefined(target.patch(`${nodePath(name)}/status`, 'strategic', patch));
}

const longestSickness = 5 * 60_000;

/** Why its pods cannot be asked any more: it has not been Ready, or cannot write, for over 5 minutes. */
export function sicknessOf(node: Node, now: number): string | undefined {
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
