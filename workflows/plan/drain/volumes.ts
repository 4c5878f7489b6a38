/** Waiting for the volumes of an evicted pod. */

export interface Attachment {
  /** Name of the PersistentVolume. */
  volume: string;
  nodeName: string;
  isAttached: boolean;
}

/** Times in milliseconds. */
export interface VolumeWait {
  /** Namespace and name of the pod that had the volumes. */
  pod: string;
  podUid: string;
  stage: 'detach' | 'reattach';
  /** Names of PersistentVolumes. */
  volumes: string[];
  since: number;
  /** Then the drain goes on without them. */
  until: number;
}

export interface VolumeFacts {
  nodeName: string;
  attachments: Attachment[];
  now: number;
  reattachSeconds: number;
}

/** Volumes of these that are attached to the Node. */
export function attachedTo(
  nodeName: string,
  volumes: string[],
  attachments: Attachment[],
): string[] {
  const present = new Set(
    attachments.filter((one) => one.nodeName === nodeName).map(({ volume }) => volume),
  );
  return volumes.filter((volume) => present.has(volume));
}

/** The wait as it goes on; undefined when it is over. */
export function afterListing(wait: VolumeWait, facts: VolumeFacts): VolumeWait | undefined {
  const { nodeName, attachments, now, reattachSeconds } = facts;
  if (wait.stage === 'reattach')
    return isAttachedElsewhere(wait, facts) ? undefined : inTime(wait, now);
  if (attachedTo(nodeName, wait.volumes, attachments).length > 0) return inTime(wait, now);
  const until = now + reattachSeconds * 1000;
  const next: VolumeWait = { ...wait, stage: 'reattach', since: now, until };
  return isAttachedElsewhere(next, facts) ? undefined : inTime(next, now);
}

function inTime(wait: VolumeWait, now: number): VolumeWait | undefined {
  return now < wait.until ? wait : undefined;
}

function isAttachedElsewhere(
  { volumes }: VolumeWait,
  { nodeName, attachments }: VolumeFacts,
): boolean {
  return volumes.every((volume) =>
    attachments.some((one) => one.volume === volume && one.nodeName !== nodeName && one.isAttached),
  );
}
