/** Volumes of pods: which they are, and whether they are attached. */
import { namespaced } from '../../../kube/client/paths.ts';
import type { ApiServer } from '../../support/api-server/api-server.ts';
import { claimsOf } from './objects.ts';
import type { AttachmentObject, PodObject } from './objects.ts';
import { readObject } from './writes.ts';

export const attachments = '/apis/storage.k8s.io/v1/volumeattachments';

export interface VolumePlace {
  volume: string;
  nodeName: string;
}

/** Name of its VolumeAttachment. */
export function attachmentOf({ volume, nodeName }: VolumePlace): string {
  return `csi-${volume}-${nodeName}`;
}

export function isAttached(server: ApiServer, place: VolumePlace): boolean {
  const path = `${attachments}/${attachmentOf(place)}`;
  const found: AttachmentObject | undefined = readObject(server, path);
  return found?.status?.attached === true;
}

/** Names of PersistentVolumes; empty for a claim that has none. */
export function volumesOf(server: ApiServer, pod: PodObject): string[] {
  const { namespace = '' } = pod.metadata;
  return claimsOf(pod).map((claim) => {
    const path = namespaced('persistentvolumeclaims', namespace, claim);
    const found: { spec?: { volumeName?: string } } = server.has(path) ? server.get(path) : {};
    return found.spec?.volumeName ?? '';
  });
}
