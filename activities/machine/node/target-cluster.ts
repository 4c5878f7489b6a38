/**
 * In which target cluster the Node of a Machine is, as an annotation says. That a cluster has no
 * Node of some name proves something only in that cluster: in another one it means that this
 * process was given the wrong kubeconfig.
 */
import { annotations } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { isSameInstance } from '../../../workflows/values/provider-id.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { NodeClaim } from './claims.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { readNode } from '../../../kube/objects/nodes.ts';
import { referenceOf, patchMachine, readMachine } from '../object.ts';
import { wasNodeSeen } from '../prepared.ts';

export interface Clusters {
  control: KubeClient;
  target: KubeClient;
  /** Id of `target`: the UID of its namespace kube-system, or the digest of its CA. */
  targetCluster?: string | undefined;
}

/**
 * The Node of this name. That it is missing, or another instance's, counts only in the target
 * cluster that the Machine joined; anywhere else the one that it joined is out of reach.
 */
export async function readNodeOf(clusters: Clusters, claim: NodeClaim): Promise<Node | undefined> {
  const node = await readNode(clusters.target, claim.nodeName);
  if (!isProof(node, claim)) await requireJoinedCluster(clusters, claim);
  return node;
}

/** A cluster that has the Node of this very instance is the one that the Machine joined. */
function isProof(node: Node | undefined, { providerID }: Pick<NodeClaim, 'providerID'>): boolean {
  const { providerID: said } = node?.spec ?? {};
  return !!said && !!providerID && isSameInstance(said, providerID);
}

export async function requireJoinedCluster(
  { control, targetCluster }: Clusters,
  { machine, nodeName }: NodeClaim,
): Promise<void> {
  if (targetCluster === undefined) return;
  const current = await readMachine(control, machine);
  if (current?.metadata.uid !== machine.uid || !wasNodeSeen(current)) return;
  const joined = current.metadata.annotations?.[annotations.targetCluster] ?? targetCluster;
  if (joined === targetCluster) return;
  throw new KubeError({
    code: 0,
    reason: 'OtherTargetCluster',
    message: `Machine ${machine.name} joined target cluster ${joined}, and this worker sees target cluster ${targetCluster}: start the worker with the --target-kubeconfig of ${joined}; where ${targetCluster} is the same cluster under a new id, remove the annotation ${annotations.targetCluster} of the Machine`,
    method: 'GET',
    path: nodePath(nodeName),
  });
}

interface SeenNode {
  machine: Machine | undefined;
  /** As it was read just now. */
  node: Node | undefined;
}

/** Where the annotation says so already, nothing is written. */
export async function recordTargetCluster(
  { control, targetCluster }: Pick<Clusters, 'control' | 'targetCluster'>,
  { machine, node }: SeenNode,
): Promise<void> {
  if (targetCluster === undefined || !machine || !isProof(node, machine.spec)) return;
  if (machine.metadata.annotations?.[annotations.targetCluster] === targetCluster) return;
  await patchMachine(control, referenceOf(machine), {
    metadata: { annotations: { [annotations.targetCluster]: targetCluster } },
  });
}

/**
 * A Machine of MCM has no annotation, and taking it over writes nothing: it gets one with its next
 * change of phase.
 */
export async function correctTargetCluster(
  clusters: Pick<Clusters, 'control' | 'targetCluster'>,
  seen: SeenNode,
): Promise<void> {
  const { annotations: notes = {} } = seen.machine?.metadata ?? {};
  if (annotations.targetCluster in notes) await recordTargetCluster(clusters, seen);
}
