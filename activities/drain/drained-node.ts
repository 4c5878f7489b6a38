/** What a drain does to the Node itself. */
import type { KubeClient } from '../kube/client/client.ts';
import { isOutdated } from '../kube/objects/json-patch.ts';
import { node as nodePath } from '../kube/client/paths.ts';
import type { NodeClaim } from '../machine/node/claims.ts';
import { foreignReason } from '../machine/node/claims.ts';
import { timestamp } from '../kube/objects/time.ts';
import type { Node } from '../kube/objects/nodes.ts';
import type { Clusters } from '../machine/node/target-cluster.ts';
import { readNodeOf } from '../machine/node/target-cluster.ts';

/** The name is another machine's by now: there is nothing to drain. */
export class ForeignNode extends Error {}

/**
 * Undefined when there is no Node of this name; throws `ForeignNode` when the name is not this
 * machine's.
 */
export async function readOwnNode(clusters: Clusters, claim: NodeClaim): Promise<Node | undefined> {
  const node = await readNodeOf(clusters, claim);
  const reason = await foreignReason(clusters.control, node, claim);
  if (reason !== undefined) throw new ForeignNode(reason);
  return node;
}

const mostTries = 4;

/** Cordons, and says why. Writes only what is missing, and only to the Node that was read. */
export async function cordonNode(clusters: Clusters, claim: NodeClaim): Promise<Node | undefined> {
  for (let tries = 1; ; tries += 1) {
    const node = await readOwnNode(clusters, claim);
    if (!node) return undefined;
    try {
      if (node.spec?.unschedulable !== true) await cordon(clusters.target, node);
      if (!isTrue(node, 'Terminating')) await markTerminating(clusters.target, node);
      return node;
    } catch (error) {
      // It changed or went in between: what is there now may be another Node.
      if (!isOutdated(error) || tries === mostTries) throw error;
    }
  }
}

async function cordon(target: KubeClient, { metadata, spec }: Node): Promise<void> {
  await target.patch(nodePath(metadata.name), 'json', [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: '/spec/providerID', value: spec?.providerID ?? null },
    { op: 'add', path: '/spec/unschedulable', value: true },
  ]);
}

function isTrue({ status }: Node, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') ?? false;
}

async function markTerminating(target: KubeClient, { metadata }: Node): Promise<void> {
  const { name, uid } = metadata;
  const now = timestamp();
  const condition = {
    type: 'Terminating',
    status: 'True',
    reason: 'ScaleDown',
    message: 'Machine Controller is scaling down machine',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  await target.patch(`${nodePath(name)}/status`, 'strategic', patch);
}

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
