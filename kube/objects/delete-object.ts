/** Deletes one object, and no later one of its name. */
import type { KubeClient, KubeObject } from '../client/client.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import { ignoreNotFound } from '../client/ignore.ts';

/**
 * Deletes the object. Does nothing when it is gone, or another object has its name by now. A
 * conflict about this very object, as a webhook may answer, is thrown: the object is still there.
 */
export async function deleteObject(client: KubeClient, path: string, uid: string): Promise<void> {
  try {
    await client.delete(path, { preconditions: { uid } });
  } catch (error) {
    if (isNotFound(error)) return;
    if (!isConflict(error)) throw error;
    const present = await ignoreNotFound(client.get<KubeObject>(path));
    if (present?.metadata.uid === uid) throw error;
  }
}
