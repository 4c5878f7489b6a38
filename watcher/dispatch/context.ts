/** Context of every dispatch, beside the change itself. */
import type { Change } from '../../kube/cache/object-cache.ts';
import type { SnapshotVersion } from '../../workflows/contracts/references.ts';
import type { StoreView } from '../cache/store.ts';
import type { Views } from '../cache/views.ts';

export interface DispatchContext {
  store: StoreView;
  namespace: string;
  /** UID of the control cluster. */
  cluster: string;
  epoch: number;
}

export type ChangeOf<R extends keyof Views> = Change<Views[R]>;

export const versionAt = (
  { cluster, epoch }: DispatchContext,
  resourceVersion: string,
): SnapshotVersion => ({
  cluster,
  epoch,
  resourceVersion,
});

/** The resourceVersion is of the target cluster. */
export const nodeVersionAt = (
  { cluster, epoch }: DispatchContext,
  resourceVersion: string,
): SnapshotVersion<'target'> => ({ cluster, epoch, resourceVersion });
