/** Which volume a PersistentVolume is, as Gardener's driver says it. */
import type { PersistentVolumeSpec } from '../driver.ts';

const csiDriver = 'diskplugin.csi.alibabacloud.com';

/** In the order given; those of other providers are left out. */
export function volumeIds(specs: PersistentVolumeSpec[]): string[] {
  return specs.flatMap(volumeIdOf);
}

/** As there, one with options of a FlexVolume is no CSI volume. */
function volumeIdOf(spec: PersistentVolumeSpec): string[] {
  const { options } = Object(spec['flexVolume']);
  if (options) {
    const { volumeId } = Object(options);
    return typeof volumeId === 'string' && volumeId !== '' ? [volumeId] : [];
  }
  const { csi } = spec;
  return csi?.driver === csiDriver && csi.volumeHandle ? [csi.volumeHandle] : [];
}
