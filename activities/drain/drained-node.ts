/** What a drain does to the Node itself. */
import type { KubeClient } from '../kube/client.ts';
import { orUndefined } from '../kube/optional.ts';
import { node as nodePath } from '../kube/paths.ts';
import { timestamp } from '../machine/object.ts';
import type { Node } from '../machine/node.ts';
import { readNode } from '../machine/node.ts';

/**
 * Cordons, and says why. Undefined when the Node is gone: there is nothing left to drain.
 *
 * At the first look it is cordoned without being read before: the answer is the Node. Later only what is missing is written.
 */
export async function closeNode(
  target: KubeClient,
  name: string,
  { isFirstLook }: { isFirstLook: boolean },
): Promise<Node | undefined> {
  const found = isFirstLook ? await cordon(target, name) : await readNode(target, name);
  if (!found) return undefined;
  const node = found.spec?.unschedulable === true ? found : await cordon(target, name);
  if (node && !isTrue(node, 'Terminating')) await markTerminating(target, name);
  return node;
}

async function cordon(target: KubeClient, name: string): Promise<Node | undefined> {
  const patch = { spec: { unschedulable: true } };
  return await orUndefined(target.patch<Node>(nodePath(name), 'merge', patch));
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
