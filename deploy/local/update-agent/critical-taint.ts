import type { KubeClient } from '../../../kube/client/client.ts';
import { ignoreConflict } from '../../../kube/client/ignore.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { taints } from '../../../workflows/api/constants.ts';

/**
 * As Gardener's own controller does once the components that a Node needs run again: until then the
 * updated Node takes no pods. Where the Node has changed meanwhile, its next change has it done.
 */
export async function clearCriticalTaint(node: Node, client: KubeClient): Promise<void> {
  const { name, resourceVersion } = node.metadata;
  const kept = taintsOf(node).filter(({ key }) => key !== taints.criticalComponentsNotReady);
  if (kept.length === taintsOf(node).length) return;
  const body = { metadata: { resourceVersion }, spec: { taints: kept } };
  await ignoreConflict(client.patch(nodePath(name), 'merge', body));
}

const taintsOf = ({ spec }: Node) => spec?.taints ?? [];
