/** Waiting for the volumes of pods that left. */

export interface Attachment {
  /** Name of the PersistentVolume. */
  volume: string;
  nodeName: string;
  isAttached: boolean;
}

/** Times in milliseconds. */
export interface VolumeWait {
  /** Namespace and name of the pod that had the volumes, or words for pods that are not known. */
  pod: string;
  podUid: string;
  /** Their pods were gone before the drain could ask them: only a detach is waited for. */
  isOfGonePods?: boolean;
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
  const present = volumesAt(nodeName, attachments);
  return volumes.filter((volume) => present.has(volume));
}

/** Names of all volumes that are attached to the Node. */
export function volumesAt(nodeName: string, attachments: Attachment[]): Set<string> {
  const here = attachments.filter((one) => one.nodeName === nodeName);
  return new Set(here.map(({ volume }) => volume));
}

/**
 * The wait for volumes of pods that left before the drain evicted them; the drain's end waits for
 * them. Undefined without volumes.
 */
export function waitForGonePods(
  volumes: string[],
  { now, detachSeconds }: { now: number; detachSeconds: number },
): VolumeWait | undefined {
  if (volumes.length === 0) return undefined;
  const until = now + detachSeconds * 1000;
  const pod = 'a pod that left before';
  return { pod, podUid: '', isOfGonePods: true, stage: 'detach', volumes, since: now, until };
}

/** The wait as it goes on; undefined when it is over. */
export function afterListing(wait: VolumeWait, facts: VolumeFacts): VolumeWait | undefined {
  const { nodeName, attachments, now, reattachSeconds } = facts;
  if (wait.stage === 'reattach')
    return isAttachedElsewhere(wait, facts) ? undefined : inTime(wait, now);
  if (attachedTo(nodeName, wait.volumes, attachments).length > 0) return inTime(wait, now);
  if (wait.isOfGonePods === true) return undefined;
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
  const elsewhere = new Set(
    attachments
      .filter((one) => one.nodeName !== nodeName && one.isAttached)
      .map(({ volume }) => volume),
  );
  return volumes.every((volume) => elsewhere.has(volume));
}
