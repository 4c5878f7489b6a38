/** Which Azure disks PersistentVolumes are. */
import type { PersistentVolumeSpec } from '../driver.ts';

/** In the order given; those of other providers are left out. */
export function volumeIds(specs: PersistentVolumeSpec[]): string[] {
  return specs.flatMap(volumeIdOf);
}

function volumeIdOf({ csi, azureDisk }: PersistentVolumeSpec): string[] {
  if (csi?.driver === 'disk.csi.azure.com' && csi.volumeHandle) return [csi.volumeHandle];
  const { diskName } = Object(azureDisk);
  return typeof diskName === 'string' && diskName !== '' ? [diskName] : [];
}
