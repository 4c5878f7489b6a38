/** Which volumes of a cloud PersistentVolumes are. */
import type { Driver, PersistentVolumeSpec } from '../driver.ts';

/**
 * The ids that the cloud's former volumes of Kubernetes itself have, and the handles of this CSI
 * driver, in the order given; those of others are left out.
 */
export function csiVolumeIds(
  driver: string,
  inTreeId: (spec: PersistentVolumeSpec) => unknown = () => undefined,
): Driver['volumeIds'] {
  return async (specs) =>
    specs.flatMap((spec) => {
      const ids = [inTreeId(spec), spec.csi?.driver === driver && spec.csi.volumeHandle];
      return ids.flatMap((id) => (typeof id === 'string' && id !== '' ? [id] : [])).slice(0, 1);
    });
}
