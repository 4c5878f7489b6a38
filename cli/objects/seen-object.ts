/** An object as a command has read it, and a person decided on it. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { isConflict, isNotFound } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { formatReference } from '../command-line/object-reference.ts';

/** Another object may have got its name since it was read. */
export interface SeenObject {
  kube: KubeClient;
  path: string;
  uid: string;
}

/**
 * A merge patch of this object.
 *
 * @throws {Error} The object is gone, or another one has its name.
 */
export async function patchSeen(
  { kube, path, uid }: SeenObject,
  reference: ObjectReference,
  patch: { metadata?: object; spec?: object },
): Promise<void> {
  try {
    await kube.patch(path, 'merge', { ...patch, metadata: { ...patch.metadata, uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
    const found = await ignoreNotFound(kube.get<KubeObject>(path));
    if (found?.metadata.uid === uid) throw error;
    const what = found
      ? 'another object of the same name by now; ask again to see its state'
      : 'gone by now';
    const message = `nothing was done: ${formatReference(reference)} is ${what}`;
    throw new Error(message, { cause: error });
  }
}
