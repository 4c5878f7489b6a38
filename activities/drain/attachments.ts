import type { NodeClaim } from '../machine/node/claims.ts';
import { foreignReason } from '../machine/node/claims.ts';
import type { Clusters } from '../machine/node/target-cluster.ts';
import { readNodeOf } from '../machine/node/target-cluster.ts';
import { inParallel } from '../parallel.ts';
import { orUndefined } from '../kube/client/ignore.ts';
import { width } from './removal.ts';
import type { VolumeAttachment } from './wake-ups/watched-attachments.ts';
import { volumeAttachments } from './wake-ups/watched-attachments.ts';

/**
 * Lets the volumes of an instance that is gone be attached elsewhere, without the 6 minutes that Kubernetes waits otherwise. Only
 * then: an instance that may still write keeps its volumes.
 */
export async function deleteAttachments(clusters: Clusters, claim: NodeClaim): Promise<void> {
  // Names come back: what is attached to another instance is not ours.
  const { control, target } = clusters;
  const { nodeName } = claim;
  const node = await readNodeOf(clusters, claim);
  if ((await foreignReason(control, node, claim)) !== undefined) return;
  const list = await orUndefined(target.list<VolumeAttachment>(volumeAttachments));
  const ours = (list?.items ?? []).filter(
    ({ spec, metadata }) => spec.nodeName === nodeName && metadata.deletionTimestamp === undefined,
  );
  await inParallel(ours, width, async ({ metadata }) => {
    const options = { preconditions: { uid: metadata.uid } };
    await orUndefined(target.delete(`${volumeAttachments}/${metadata.name}`, options));
  });
}
