/** Watches that the drains of this process share in the target cluster. */
import type { Client } from '@temporalio/client';
import type { DrainWatches } from '../../activities/drain/activity.ts';
import { BlockedDrains } from '../../activities/drain/wake-ups/blocked-drains.ts';
import { createPendingDrains } from '../../activities/drain/wake-ups/pending-drains.ts';
import { tryAgainNow } from '../../activities/drain/wake-ups/try-again-now.ts';
import { WatchedAttachments } from '../../activities/drain/wake-ups/watched-attachments.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Logger } from '../log/logger.ts';

export function createDrainWatches(
  target: KubeClient,
  temporal: Client,
  log: Logger,
): DrainWatches {
  const server = createPendingDrains(temporal);
  const drains = new BlockedDrains({
    target,
    wake: (drain, isUnderWay) => tryAgainNow(server, { drain, isUnderWay }),
    onError: (err) => log.warn({ err }, 'a blocked drain is not woken at once, it goes on later'),
  });
  const attachments = new WatchedAttachments({
    target,
    onMove: (volume) => drains.volumeMoved(volume),
    onError: (err) => log.warn({ err }, 'VolumeAttachments cannot be watched'),
  });
  return { drains, attachments };
}

export async function closeDrainWatches({ drains, attachments }: DrainWatches): Promise<void> {
  await Promise.all([drains.close(), attachments.close()]);
}
