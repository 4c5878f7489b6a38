/** Id of a cluster in other ids: the UID of its namespace kube-system. */
import type { KubeClient, KubeObject } from '../client/client.ts';

export async function clusterUidOf(kube: KubeClient): Promise<string> {
  const { metadata } = await kube.get<KubeObject>('/api/v1/namespaces/kube-system');
  return metadata.uid;
}
