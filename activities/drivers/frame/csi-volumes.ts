/** Volumes of clouds that have them by CSI only. */
import type { Driver } from '../driver.ts';

/** The handles of this CSI driver, in the order given. */
export function csiVolumeIds(driver: string): Driver['volumeIds'] {
  return async (specs) =>
    specs.flatMap(({ csi }) =>
      csi?.driver === driver && csi.volumeHandle ? [csi.volumeHandle] : [],
    );
}
