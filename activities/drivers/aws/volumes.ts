/** Which EBS volumes PersistentVolumes are. */
import type { PersistentVolumeSpec } from '../driver.ts';

const csiDriver = 'ebs.csi.aws.com';

/** In the order given; those of other providers are left out. */
export function volumeIds(specs: PersistentVolumeSpec[]): string[] {
  return specs.flatMap(volumeIdOf);
}

function volumeIdOf({ csi, awsElasticBlockStore }: PersistentVolumeSpec): string[] {
  if (awsElasticBlockStore) return inTreeVolumeId(Object(awsElasticBlockStore).volumeID);
  return csi?.driver === csiDriver && csi.volumeHandle ? [csi.volumeHandle] : [];
}

/** `vol-1`, `aws:///vol-1` or `aws://eu-west-1a/vol-1`. */
function inTreeVolumeId(volumeID: unknown): string[] {
  const [, id] = /^(?:aws:\/\/[^/]*\/)?(vol-[^/]*)$/.exec(String(volumeID)) ?? [];
  return id === undefined ? [] : [id];
}
