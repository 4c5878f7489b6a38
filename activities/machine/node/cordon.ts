/** A Node that takes no new pods. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { replacing } from '../../../kube/objects/json-patch.ts';
import type { Node } from '../../../kube/objects/nodes.ts';

export const cordonTaint = {
  key: 'node.kubernetes.io/unschedulable',
  effect: 'NoSchedule',
} as const;

/** A JSON patch, without the taint that follows: the node lifecycle controller takes that off. */
export function uncordonPatch({ spec }: Node): object[] {
  return spec?.unschedulable ? [{ op: 'remove', path: '/spec/unschedulable' }] : [];
}

/** Nothing is under way on the Node any more. Writes only what is there. */
export async function uncordonNode(target: KubeClient, node: Node): Promise<void> {
  const { metadata, spec } = node;
  const { taints = [] } = spec ?? {};
  const left = taints.filter(({ key }) => key !== cordonTaint.key);
  const changes = [
    ...uncordonPatch(node),
    ...(left.length < taints.length ? replacing('/spec/taints', taints, left) : []),
  ];
  if (changes.length === 0) return;
  const isSame = { op: 'test', path: '/metadata/uid', value: metadata.uid };
  await target.patch(nodePath(metadata.name), 'json', [isSame, ...changes]);
}
