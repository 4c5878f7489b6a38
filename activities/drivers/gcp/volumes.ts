/** Which volume a PersistentVolume is, as Gardener's driver says it. */
import type { PersistentVolumeSpec } from '../driver.ts';

const csiDriver = 'pd.csi.storage.gke.io';

/** In the order given; those of other providers are left out. */
export function volumeIds(specs: PersistentVolumeSpec[]): string[] {
  return specs.flatMap(volumeIdOf);
}

/** In-tree: the name of the disk. CSI: its handle, `projects/P/zones/Z/disks/NAME`. */
function volumeIdOf(spec: PersistentVolumeSpec): string[] {
  const { pdName } = Object(spec['gcePersistentDisk']);
  if (typeof pdName === 'string' && pdName !== '') return [pdName];
  const { csi } = spec;
  return csi?.driver === csiDriver && csi.volumeHandle ? [csi.volumeHandle] : [];
}
