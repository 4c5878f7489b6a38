/** Patches for the Nodes of many machines. */
import { labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { longestLabelValue } from '../../workflows/api/validation.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isInvalid } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { node as nodePath } from '../../kube/client/paths.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { readNode } from '../../kube/objects/nodes.ts';
import type { NodeClaim } from '../machine/node/claims.ts';
import { claimOf, otherOwnerReason } from '../machine/node/claims.ts';
import { inParallel } from '../runtime/parallel.ts';

export interface NodeClusters {
  control: KubeClient;
  target: KubeClient;
}

export const parallelCalls = 16;

/** Names in one selector: it is part of a URL. */
const namesPerList = 100;

/** A JSON patch; empty when a Node is as it should be. */
export type PatchOf = (node: Node, machine: Machine) => object[];

/** Returns the names of the machines whose Nodes were written. */
export async function patchAll(
  clusters: NodeClusters,
  machines: readonly Machine[],
  patchOf: PatchOf,
): Promise<string[]> {
  const written: string[] = [];
  for (let start = 0; start < machines.length; start += namesPerList) {
    const part = machines.slice(start, start + namesPerList);
    const seen = await nodesByName(clusters.target, part);
    await inParallel(part, parallelCalls, async (machine) => {
      const claim = claimOf(machine);
      if (!claim) return;
      const own = { claim, seen: seen.get(claim.nodeName) };
      const isWritten = await patchNode(clusters, own, (node) => patchOf(node, machine));
      if (isWritten) written.push(machine.metadata.name);
    });
  }
  return written.toSorted();
}

/** One list for all: each Node says whose machine it is. A Node that does not is read by name. */
async function nodesByName(
  target: KubeClient,
  machines: readonly Machine[],
): Promise<Map<string, Node>> {
  // A name that cannot be the value of a label would have the whole list refused.
  const names = machines.flatMap(({ metadata: { name } }) =>
    name.length > longestLabelValue ? [] : name,
  );
  if (names.length === 0) return new Map();
  const { items } = await target.list<Node>(nodePath(), {
    labelSelector: `${labels.machineName} in (${names.join(',')})`,
  });
  return new Map(items.map((node) => [node.metadata.name, node]));
}

/**
 * Names of Nodes come back: one that another instance or machine has by now is left alone. A patch
 * holds only for the Node that was read; where it does not hold, because it is another by now or
 * another client wrote, it is made anew. False when nothing was written.
 */
async function patchNode(
  { control, target }: NodeClusters,
  { claim, seen }: { claim: NodeClaim; seen: Node | undefined },
  patchOf: (node: Node) => object[],
): Promise<boolean> {
  const name = claim.nodeName;
  const write = async (isAgain: boolean): Promise<boolean> => {
    const node = isAgain || !seen ? await readNode(target, name) : seen;
    const patch = node ? patchOf(node) : [];
    if (!node || patch.length === 0) return false;
    if ((await otherOwnerReason(control, node, claim)) !== undefined) return false;
    const isSame = { op: 'test', path: '/metadata/uid', value: node.metadata.uid };
    const patched = target.patch(nodePath(name), 'json', [isSame, ...patch]);
    return (await ignoreNotFound(patched)) !== undefined;
  };
  return await retryOnConflict(write, { isAnew: isInvalid });
}
