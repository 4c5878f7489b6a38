/** What the judge reads of objects. */
import type { KubeObject } from '../../../activities/kube/client/client.ts';
import { customResource } from '../../../activities/kube/client/paths.ts';
import type { Cluster } from '../world/kube-client.ts';

/** Of an instance: the UID of the Machine that it was made for. */
export const uidTag = 'millwright.dev/machine-uid';

export interface JudgedObject extends KubeObject {
  spec?: {
    replicas?: number;
    providerID?: string;
    template?: { metadata?: { labels?: Record<string, string> }; spec?: { class?: ClassRef } };
    class?: ClassRef;
  };
  status?: { currentStatus?: { phase?: string }; lastOperation?: { description?: string } };
}

interface ClassRef {
  name?: string;
}

export type JudgedKind = Parameters<typeof customResource>[0];

export function listOf(cluster: Cluster, kind: JudgedKind, namespace: string): JudgedObject[] {
  const { items }: { items?: JudgedObject[] } = cluster.server.get(customResource(kind, namespace));
  return items ?? [];
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.some(({ uid, controller }) => controller === true && uid === owner.metadata.uid);
}
