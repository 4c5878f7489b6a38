/** Which volume is attached to which Node. */
import type { KubeObject } from '../client/client.ts';

export interface VolumeAttachment extends KubeObject {
  spec: { nodeName: string; source: { persistentVolumeName?: string } };
  status?: { attached?: boolean };
}

export const volumeAttachments = '/apis/storage.k8s.io/v1/volumeattachments';
