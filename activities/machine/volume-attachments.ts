import type { NodeClaim } from './node/claims.ts';
import { foreignReason } from './node/claims.ts';
import type { Clusters } from './node/target-cluster.ts';
import { readNodeOf } from './node/target-cluster.ts';
import { inParallel } from '../runtime/parallel.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import type { VolumeAttachment } from '../../kube/objects/volume-attachments.ts';
import { volumeAttachments } from '../../kube/objects/volume-attachments.ts';

/** Deletions at once. */
const width = 20;

/**
 * Lets the volumes of an instance that is gone be attached elsewhere, without the 6 minutes that
 * Kubernetes waits otherwise. Only then: an instance that may still write keeps its volumes.
 */
export async function deleteAttachments(clusters: Clusters, claim: NodeClaim): Promise<void> {
  // Names come back: what is attached to another instance is not ours.
  const { control, target } = clusters;
  const { nodeName } = claim;
  const node = await readNodeOf(clusters, claim);
  if ((await foreignReason(control, node, claim)) !== undefined) return;
  const list = await ignoreNotFound(target.list<VolumeAttachment>(volumeAttachments));
  const ours = (list?.items ?? []).filter(
    ({ spec, metadata }) => spec.nodeName === nodeName && metadata.deletionTimestamp === undefined,
  );
  await inParallel(ours, width, async ({ metadata }) => {
    const options = { preconditions: { uid: metadata.uid } };
    await ignoreNotFound(target.delete(`${volumeAttachments}/${metadata.name}`, options));
  });
}
