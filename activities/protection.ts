/** The finalizers of MachineClasses and Secrets. */
import type { ObjectRef, ProtectionActivities } from '../workflows/activities.ts';
import { finalizers } from '../workflows/api/constants.ts';
import type { MachineClass } from '../workflows/api/machine-class.ts';
import type { Machine } from '../workflows/api/machine.ts';
import type { KubeClient, KubeObject } from './kube/client.ts';
import { orUndefined } from './kube/optional.ts';
import { customResource, namespaced } from './kube/paths.ts';

type Input = Parameters<ProtectionActivities['protectFromDeletion']>[0];

export async function protectFromDeletion(
  control: KubeClient,
  { resource, ref }: Input,
): Promise<void> {
  const isClass = resource === 'machineclasses';
  const isUsed = isClass ? await isClassUsed(control, ref) : await isSecretUsed(control, ref);
  const path = isClass
    ? customResource(resource, ref.namespace, ref.name)
    : namespaced(resource, ref.namespace, ref.name);
  const finalizer = isClass ? finalizers.machine : finalizers.secret;
  const object = await orUndefined(control.get<KubeObject>(path));
  if (object) await setFinalizer(control, path, { object, finalizer, isWanted: isUsed });
}

async function isClassUsed(control: KubeClient, { namespace, name }: ObjectRef): Promise<boolean> {
  const { items } = await control.list<Machine>(customResource('machines', namespace));
  return items.some(({ spec }) => spec.class?.name === name);
}

async function isSecretUsed(control: KubeClient, { namespace, name }: ObjectRef): Promise<boolean> {
  const { items } = await control.list<MachineClass>(customResource('machineclasses', namespace));
  return items.some(
    ({ secretRef, credentialsSecretRef }) =>
      secretRef?.name === name || credentialsSecretRef?.name === name,
  );
}

interface Wanted {
  object: KubeObject;
  finalizer: string;
  isWanted: boolean;
}

/** The write holds only for the list of finalizers that was read. */
async function setFinalizer(
  control: KubeClient,
  path: string,
  { object, finalizer, isWanted }: Wanted,
): Promise<void> {
  const { finalizers: present = [], resourceVersion, uid, deletionTimestamp } = object.metadata;
  const isPresent = present.includes(finalizer);
  if (isPresent === isWanted) return;
  // Kubernetes takes no new finalizer on an object that is going.
  if (isWanted && deletionTimestamp !== undefined) return;
  const kept = present.filter((name) => name !== finalizer);
  const metadata = { uid, resourceVersion, finalizers: isWanted ? [...kept, finalizer] : kept };
  await orUndefined(control.patch(path, 'merge', { metadata }));
}
