/** Fields of an object's metadata that all views have. */
import type { ObjectMeta } from '../../kube/client/client.ts';
import type { CachedObject } from '../../kube/cache/object-cache.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { finalizers } from '../../workflows/api/constants.ts';

export const trimmedMeta = ({ uid, name, resourceVersion }: ObjectMeta): CachedObject => ({
  uid,
  name,
  resourceVersion,
});

/** The name of the controller if it is of this kind. */
export function ownerOf(metadata: ObjectMeta, kind: string): string | undefined {
  const controller = controllerOf({ metadata });
  return controller?.kind === kind ? controller.name : undefined;
}

/** Reports whether the object is being deleted, and whether it waits for us before it goes. */
export const lifeOf = (metadata: ObjectMeta): { isDeleting: boolean; hasFinalizer: boolean } => ({
  isDeleting: metadata.deletionTimestamp !== undefined,
  hasFinalizer: metadata.finalizers?.includes(finalizers.machine) ?? false,
});
