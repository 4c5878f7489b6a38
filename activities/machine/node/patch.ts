/** Writes metadata and taints of a Node without losing what other clients write meanwhile. */
import { annotations, finalizers, labels } from '../../../workflows/api/constants.ts';
import type { NamespacedName } from '../../../workflows/contracts/references.ts';
import type { Taint } from '../../../workflows/api/machine.ts';
import type { ObjectMeta } from '../../../workflows/api/meta.ts';
import type {
  NodeTemplate,
  NodeTemplateChange,
  TextChanges,
} from '../../../workflows/plan/machine/node-template.ts';
import {
  planNodeTemplate,
  withNameOfMachine,
} from '../../../workflows/plan/machine/node-template.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isOutdated, pointerTo, replacing } from '../../../kube/objects/json-patch.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';

/** State of a Node as it was read or is assumed: the patch fails where it is another. */
interface KnownNode {
  metadata: Pick<ObjectMeta, 'name' | 'uid' | 'labels' | 'annotations' | 'finalizers'>;
  spec?: { taints?: Taint[] };
}

type NodePatch = Pick<NodeTemplateChange, 'labels' | 'annotations' | 'taints'>;

/**
 * One write for everything but the status, none when there is nothing to say; it holds only for the
 * taints that were read.
 */
export async function patchNode(target: KubeClient, node: Node, change: NodePatch): Promise<Node> {
  const patch = patchOf(node, change);
  return patch.length === 0 ? node : await write(target, node, patch);
}

async function write(target: KubeClient, { metadata }: KnownNode, patch: object[]): Promise<Node> {
  const precondition = { op: 'test', path: '/metadata/uid', value: metadata.uid };
  return await target.patch<Node>(nodePath(metadata.name), 'json', [precondition, ...patch]);
}

function patchOf(
  node: KnownNode,
  { labels: names, annotations: notes, taints }: NodePatch,
): object[] {
  const { metadata, spec } = node;
  return [
    ...finalizerPatch(node),
    ...textsPatch('/metadata/labels', metadata.labels, names),
    ...textsPatch('/metadata/annotations', metadata.annotations, notes),
    ...(taints ? replacing('/spec/taints', spec?.taints, taints) : []),
  ];
}

function finalizerPatch({ metadata }: KnownNode): object[] {
  const { finalizers: present } = metadata;
  if (present?.includes(finalizers.node)) return [];
  return replacing('/metadata/finalizers', present, [...(present ?? []), finalizers.node]);
}

/**
 * Keys whose former value a patch tests: of two machines that join by one Node at the same time,
 * one is to see the other; and what was last applied is not to be forgotten.
 */
const guarded: readonly string[] = [labels.machineName, annotations.lastAppliedNodeTemplate];

function textsPatch(
  map: string,
  present: Record<string, string> | undefined,
  changes: TextChanges,
): object[] {
  const entries = Object.entries(changes);
  if (entries.length === 0) return [];
  // A client that wrote the first text meanwhile must not lose it.
  const place = present === undefined ? replacing(map, undefined, {}) : [];
  const operations = entries.flatMap(([key, value]): object[] => {
    const path = pointerTo(map, key);
    if (value === null) return [{ op: 'remove', path }];
    if (guarded.includes(key)) return replacing(path, present?.[key], value);
    return [{ op: 'add', path, value }];
  });
  return [...place, ...operations];
}

/**
 * A Node of this instance that joins for the first time has nothing of ours yet, so one write does
 * without a read before. Undefined when that does not hold, and nothing was written. Taints are not
 * read: those of the template come with the kubelet, mostly.
 */
export async function updateFreshNode(
  target: KubeClient,
  { name, uid, providerID }: { name: string; uid: string; providerID: string },
  { machine, template }: { machine: NamespacedName; template: NodeTemplate },
): Promise<Node | undefined> {
  const { taints: _unknown, ...planned } = planNodeTemplate(
    {},
    { machineName: machine.name, template },
  );
  const change = withNameOfMachine(planned, {}, machine);
  const fresh = { metadata: { name, uid, labels: {}, annotations: {} } };
  try {
    const isOfInstance = { op: 'test', path: '/spec/providerID', value: providerID };
    return await write(target, fresh, [isOfInstance, ...patchOf(fresh, change)]);
  } catch (error) {
    if (isOutdated(error)) return undefined;
    throw error;
  }
}
