/** Changes that a drain makes to the Node itself. */
import type { KubeClient } from '../../kube/client/client.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import { inPlaceNodeOf } from '../../workflows/contracts/in-place-node.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isOutdated, replacing } from '../../kube/objects/json-patch.ts';
import { node as nodePath } from '../../kube/client/paths.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { isClaimOf } from '../machine/deletable.ts';
import type { NodeClaim } from '../machine/node/claims.ts';
import { otherOwnerReason } from '../machine/node/claims.ts';
import { cordonTaint } from '../machine/node/cordon.ts';
import { timestamp } from '../../kube/objects/time.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import type { Clusters } from '../machine/node/target-cluster.ts';
import { readNodeOf } from '../machine/node/target-cluster.ts';
import { patchNode } from '../machine/node/patch.ts';
import { isDeleting, readMachine } from '../machine/object.ts';
import { podsToDrain } from './pods.ts';

/** The name is another machine's by now: there is nothing to drain. */
export class OtherOwnersNode extends Error {}

/**
 * Undefined when there is no Node of this name; throws `OtherOwnersNode` when the name is not this
 * machine's.
 */
export async function readOwnNode(clusters: Clusters, claim: NodeClaim): Promise<Node | undefined> {
  const node = await readNodeOf(clusters, claim);
  const reason = await otherOwnerReason(clusters.control, node, claim);
  if (reason !== undefined) throw new OtherOwnersNode(reason);
  return node;
}

/**
 * The Machine is not being deleted, or its Node is not selected for an update: who can write to
 * Temporal can ask for its drain by hand.
 */
export class NotGivenUp extends Error {}

/**
 * Returns the Machine that is drained, unless it is gone. Throws `NotGivenUp` when the Machine
 * neither is being deleted nor, where its Node stays, has failed or is updated in place. Throws
 * `OtherOwnersNode` when a Machine that was created in place of this one has its instance: that
 * Machine is drained by a deadline of its own, if it is deleted at all.
 */
export async function requireGivenUp(
  control: KubeClient,
  { machine, nodeName, providerID, keepsNode = false, isForUpdate = false }: DrainClaim,
): Promise<Machine | undefined> {
  const found = await readMachine(control, machine);
  if (!found) return undefined;
  if (found.metadata.uid === machine.uid) {
    // That its Node is selected is read with the Node.
    if (isForUpdate && !isDeleting(found)) return found;
    const hasFailed = keepsNode && found.status?.currentStatus?.phase === 'Failed';
    if (!isForUpdate && (isDeleting(found) || hasFailed)) return found;
    const why = isForUpdate
      ? 'goes: that drain is another'
      : 'is not being deleted: it is not drained';
    throw new NotGivenUp(`Machine ${machine.name} ${why}`);
  }
  if (!isClaimOf(found.spec.providerID, providerID)) return undefined;
  throw new OtherOwnersNode(`Node ${nodeName} is that of a new Machine ${machine.name}`);
}

interface DrainClaim extends NodeClaim {
  keepsNode?: boolean;
  isForUpdate?: boolean;
}

export interface CordonOptions {
  /**
   * Instance and Node go once no pod is left. An empty Node gives up our finalizer with the same
   * write, and gets no condition (docs/decisions/0037-removal-with-the-drain.md).
   */
  isToGo: boolean;
  /** It stays, as it is updated in place, and is drained only while it is selected for that. */
  isForUpdate?: boolean;
}

export interface CordonedNode {
  node: Node;
  /** It has our finalizer no more. */
  isReleased: boolean;
}

/** Cordons, and says why. Writes only what is missing, and only to the Node that was read. */
export async function cordonNode(
  clusters: Clusters,
  claim: NodeClaim,
  { isToGo, isForUpdate = false }: CordonOptions,
): Promise<CordonedNode | undefined> {
  const { target } = clusters;
  const write = async (): Promise<CordonedNode | undefined> => {
    const node = await readOwnNode(clusters, claim);
    if (isForUpdate) requireSelected(node, claim);
    if (!node) return undefined;
    const isReleased = isToGo && (await isEmpty(target, node));
    await change(target, node, [...cordon(node), ...(isReleased ? release(node) : [])]);
    const isToBeMarked = !isReleased && !isForUpdate;
    if (isToBeMarked && !isMarkedTerminating(node)) await markTerminating(target, node);
    return { node, isReleased };
  };
  // It changed or went in between: what is there now may be another Node.
  return await retryOnConflict(write, { isAnew: isOutdated });
}

function requireSelected(node: Node | undefined, { nodeName }: NodeClaim): void {
  const { reason, isSelected = false } = (node && inPlaceNodeOf(node)) ?? {};
  if (reason === 'SelectedForUpdate' && isSelected) return;
  throw new NotGivenUp(`Node ${nodeName} is not selected for an update in place`);
}

/** The deletion of its instance failed, or a pod came in between. */
export async function protectNode(clusters: Clusters, claim: NodeClaim): Promise<void> {
  const node = await readOwnNode(clusters, claim);
  if (node && node.metadata.deletionTimestamp === undefined) {
    await patchNode(clusters.target, node, { labels: {}, annotations: {} });
  }
}

/** As far as the API server's memory says: the drain reads its store before it ends. */
async function isEmpty(target: KubeClient, { metadata }: Node): Promise<boolean> {
  return (await podsToDrain(target, metadata.name, { mayBeOld: true })).length === 0;
}

async function change(
  target: KubeClient,
  { metadata, spec }: Node,
  changes: object[],
): Promise<void> {
  if (changes.length === 0) return;
  await target.patch(nodePath(metadata.name), 'json', [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: '/spec/providerID', value: spec?.providerID ?? null },
    ...changes,
  ]);
}

/** With the taint that the node lifecycle controller would add, so that it need not. */
function cordon({ spec = {} }: Node): object[] {
  if (spec.unschedulable === true) return [];
  const { taints = [] } = spec;
  const isTainted = taints.some(
    ({ key, effect }) => key === cordonTaint.key && effect === cordonTaint.effect,
  );
  return [
    { op: 'add', path: '/spec/unschedulable', value: true },
    ...(isTainted ? [] : replacing('/spec/taints', spec.taints, [...taints, cordonTaint])),
  ];
}

function release({ metadata: { finalizers: present = [] } }: Node): object[] {
  if (!present.includes(finalizers.node)) return [];
  const left = present.filter((finalizer) => finalizer !== finalizers.node);
  return replacing('/metadata/finalizers', present, left);
}

/** Before the first pod is asked to leave. */
export function isMarkedTerminating({ status }: Node): boolean {
  const conditions = status?.conditions ?? [];
  return conditions.some(({ type, status: is }) => type === 'Terminating' && is === 'True');
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
