/** What every dispatch sees beside the change itself. */
import type { Change } from '../../activities/kube/cache/object-cache.ts';
import type { Sighting } from '../../workflows/contracts/references.ts';
import type { StoreView } from '../cache/store.ts';
import type { Views } from '../cache/views.ts';

export interface Scene {
  store: StoreView;
  namespace: string;
  /** UID of the control cluster. */
  cluster: string;
  epoch: number;
}

export type ChangeOf<R extends keyof Views> = Change<Views[R]>;

export const sightingAt = ({ cluster, epoch }: Scene, resourceVersion: string): Sighting => ({
  cluster,
  epoch,
  resourceVersion,
});

/** The resourceVersion is of the target cluster. */
export const nodeSightingAt = (
  { cluster, epoch }: Scene,
  resourceVersion: string,
): Sighting<'target'> => ({ cluster, epoch, resourceVersion });
