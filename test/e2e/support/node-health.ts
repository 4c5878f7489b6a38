/** Nodes that fall ill, get well, and go. */
import { node } from '../../../kube/client/paths.ts';
import type { Scenario } from './scenario.ts';

/** The virtual cloud plays a kubelet that says so. */
export async function setReady({ cluster }: Scenario, name: string, isReady: boolean) {
  const annotations = { 'virtual-cloud.millwright.dev/not-ready': isReady ? null : 'true' };
  await cluster.kube.patch(node(name), 'merge', { metadata: { annotations } });
}
