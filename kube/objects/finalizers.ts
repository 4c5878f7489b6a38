/**
 * Our finalizer on Machines, MachineSets, MachineDeployments: while it stands, something is left to
 * do.
 */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import type { KubeClient, KubeObject } from '../client/client.ts';
import { isInvalid, isNotFound } from '../client/errors.ts';
import { ignoreNotFound } from '../client/ignore.ts';
import type { MachineKind } from '../client/paths.ts';
import { customResource } from '../client/paths.ts';

/** The object with our finalizer; one that is being deleted gets none any more. */
export async function ensureFinalizer<T extends KubeObject>(
  control: KubeClient,
  kind: MachineKind,
  object: T,
): Promise<T> {
  const { metadata } = object;
  const { finalizers: present = [], namespace = '', name, uid, resourceVersion } = metadata;
  if (metadata.deletionTimestamp !== undefined || hasFinalizer(object)) return object;
  return await control.patch<T>(customResource(kind, namespace, name), 'merge', {
    metadata: { uid, resourceVersion, finalizers: [...present, finalizers.machine] },
  });
}

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(finalizers.machine) ?? false;
}

/** `kubectl delete --cascade=orphan`: the garbage collector is letting the children go. */
export function isOrphaning({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes('orphan') ?? false;
}

/**
 * Takes our finalizer off this life of an object, so that it can go. False where it is not being
 * deleted any more, because etcd was restored from a backup of before: it keeps the finalizer.
 */
export async function release(
  control: KubeClient,
  kind: MachineKind,
  life: ObjectReference,
): Promise<boolean> {
  const path = customResource(kind, life.namespace, life.name);
  return (await releaseIfOurs(control, path, life)) || releaseAmongOthers(control, path, life);
}

/**
 * One write without a read before, where ours is the only finalizer. False where it is not, the
 * object is another, or is not being deleted: a patch cannot remove a deletionTimestamp that is not
 * there, and the API server keeps the one that is.
 */
async function releaseIfOurs(
  control: KubeClient,
  path: string,
  { uid }: ObjectReference,
): Promise<boolean> {
  try {
    await control.patch(path, 'json', [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/finalizers', value: [finalizers.machine] },
      { op: 'remove', path: '/metadata/deletionTimestamp' },
      { op: 'remove', path: '/metadata/finalizers' },
    ]);
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isInvalid(error)) return false;
    throw error;
  }
}

async function releaseAmongOthers(
  control: KubeClient,
  path: string,
  { uid }: ObjectReference,
): Promise<boolean> {
  const object = await ignoreNotFound(control.get<KubeObject>(path));
  if (!object || object.metadata.uid !== uid) return true;
  const { resourceVersion, deletionTimestamp, finalizers: present = [] } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  if (!hasFinalizer(object)) return true;
  const kept = present.filter((finalizer) => finalizer !== finalizers.machine);
  const metadata = { uid, resourceVersion, finalizers: kept };
  await ignoreNotFound(control.patch(path, 'merge', { metadata }));
  return true;
}
