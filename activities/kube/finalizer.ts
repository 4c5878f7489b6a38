/** Our finalizer on Machines, MachineSets, MachineDeployments: while it stands, something is left to do. */
import type { LifeRef } from '../../workflows/activities.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import type { KubeClient, KubeObject } from './client.ts';
import { orUndefined } from './optional.ts';
import type { MachineKind } from './paths.ts';
import { customResource } from './paths.ts';

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

/** Takes our finalizer off this life of an object, so that it can go. */
export async function release(
  control: KubeClient,
  kind: MachineKind,
  { namespace, name, uid }: LifeRef,
): Promise<void> {
  const path = customResource(kind, namespace, name);
  const object = await orUndefined(control.get<KubeObject>(path));
  if (!object || object.metadata.uid !== uid || !hasFinalizer(object)) return;
  const { resourceVersion, finalizers: present = [] } = object.metadata;
  const kept = present.filter((finalizer) => finalizer !== finalizers.machine);
  const metadata = { uid, resourceVersion, finalizers: kept };
  await orUndefined(control.patch(path, 'merge', { metadata }));
}
