/** Writes metadata and taints of a Node without losing what somebody else writes meanwhile. */
import { finalizers, labels } from '../../workflows/api/constants.ts';
import type { NodeTemplateChange, TextChanges } from '../../workflows/plan/node-template.ts';
import type { KubeClient } from '../kube/client.ts';
import { pointerTo, replacing } from '../kube/json-patch.ts';
import { node as nodePath } from '../kube/paths.ts';
import type { Node } from './node.ts';

type NodePatch = Pick<NodeTemplateChange, 'labels' | 'annotations' | 'taints'>;

/** One write for everything but the status, none when there is nothing to say; it holds only for the taints that were read. */
export async function patchNode(
  target: KubeClient,
  node: Node,
  { labels: names, annotations: notes, taints }: NodePatch,
): Promise<Node> {
  const { metadata, spec } = node;
  const patch = [
    ...finalizerPatch(node),
    ...textsPatch('/metadata/labels', metadata.labels, names),
    ...textsPatch('/metadata/annotations', metadata.annotations, notes),
    ...(taints ? replacing('/spec/taints', spec?.taints, taints) : []),
  ];
  if (patch.length === 0) return node;
  const precondition = { op: 'test', path: '/metadata/uid', value: metadata.uid };
  return await target.patch<Node>(nodePath(metadata.name), 'json', [precondition, ...patch]);
}

function finalizerPatch({ metadata }: Node): object[] {
  const { finalizers: present } = metadata;
  if (present?.includes(finalizers.node)) return [];
  return replacing('/metadata/finalizers', present, [...(present ?? []), finalizers.node]);
}

function textsPatch(
  map: string,
  present: Record<string, string> | undefined,
  changes: TextChanges,
): object[] {
  const entries = Object.entries(changes);
  if (entries.length === 0) return [];
  // Whoever wrote the first text meanwhile must not lose it.
  const place = present === undefined ? replacing(map, undefined, {}) : [];
  const operations = entries.flatMap(([key, value]): object[] => {
    const path = pointerTo(map, key);
    if (value === null) return [{ op: 'remove', path }];
    // Of two machines that join by one Node at the same time, one is to see the other.
    if (key === labels.machineName) return replacing(path, present?.[key], value);
    return [{ op: 'add', path, value }];
  });
  return [...place, ...operations];
}
