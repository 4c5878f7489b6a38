import { readNode } from '../machine/node.ts';
import { isSameInstance } from '../../workflows/plan/provider-id.ts';
import { inParallel } from '../in-parallel.ts';
import type { KubeClient } from '../kube/client.ts';
import { orUndefined } from '../kube/optional.ts';
import { width } from './removal.ts';
import type { VolumeAttachment } from './watched-attachments.ts';
import { volumeAttachments } from './watched-attachments.ts';

/**
 * Lets the volumes of an instance that is gone be attached elsewhere, without the 6 minutes that Kubernetes waits otherwise. Only
 * then: an instance that may still write keeps its volumes.
 */
export async function deleteAttachments(
  target: KubeClient,
  { nodeName, providerID }: { nodeName: string; providerID: string },
): Promise<void> {
  // Names come back: what is attached to another instance is not ours.
  const node = await readNode(target, nodeName);
  if (node && !isSameInstance(node.spec?.providerID, providerID)) return;
  const list = await orUndefined(target.list<VolumeAttachment>(volumeAttachments));
  const ours = (list?.items ?? []).filter(
    ({ spec, metadata }) => spec.nodeName === nodeName && metadata.deletionTimestamp === undefined,
  );
  await inParallel(ours, width, async ({ metadata }) => {
    const options = { preconditions: { uid: metadata.uid } };
    await orUndefined(target.delete(`${volumeAttachments}/${metadata.name}`, options));
  });
}
