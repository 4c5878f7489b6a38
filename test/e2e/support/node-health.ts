/** Nodes that fall ill, get well, and go. */
import { node } from '../../../activities/kube/client/paths.ts';
import type { Scenario } from './scenario.ts';

/** kwok plays a kubelet that says so (deploy/local/cluster/kwok-stages.yaml). */
export async function setReady({ cluster }: Scenario, name: string, isReady: boolean) {
  const annotations = { 'virtual-cloud.millwright.dev/not-ready': isReady ? null : 'true' };
  await cluster.kube.patch(node(name), 'merge', { metadata: { annotations } });
}
