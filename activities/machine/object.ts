/** Reading and writing one Machine. */
import type { ObjectReference, NamespacedName } from '../../workflows/contracts/references.ts';
import { apiVersion, eventComponents } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { isConflict, isNotFound } from '../kube/client/errors.ts';
import type { EventSubject } from '../kube/objects/event.ts';
import { ignoreNotFound } from '../kube/client/ignore.ts';
import { customResource } from '../kube/client/paths.ts';

export const component = eventComponents.machine;

function machinePath({ namespace, name }: NamespacedName): string {
  return customResource('machines', namespace, name);
}

/** Undefined when there is none. */
export async function readMachine(
  control: KubeClient,
  ref: NamespacedName,
): Promise<Machine | undefined> {
  return await ignoreNotFound(control.get<Machine>(machinePath(ref)));
}

/**
 * Merge-patches this life of a Machine, `/status` or the rest. Undefined when the object is gone or
 * its name belongs to another life: the UID in the patch is a precondition. kube-apiserver ignores
 * it in a patch of `/status`, which may so reach a Machine that was made anew in the same moment;
 * what that one is made of is not for the caller.
 */
export async function patchMachine(
  control: KubeClient,
  machine: ObjectReference,
  patch: { metadata?: object; spec?: object } | { status: object },
): Promise<Machine | undefined> {
  const path = `${machinePath(machine)}${'status' in patch ? '/status' : ''}`;
  const metadata = { ...('metadata' in patch ? patch.metadata : {}), uid: machine.uid };
  try {
    const patched = await control.patch<Machine>(path, 'merge', { ...patch, metadata });
    return patched.metadata.uid === machine.uid ? patched : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isConflict(error) && !(await isSameObject(control, machine))) return undefined;
    throw error;
  }
}

async function isSameObject(control: KubeClient, machine: ObjectReference): Promise<boolean> {
  return (await readMachine(control, machine))?.metadata.uid === machine.uid;
}

export function referenceOf({ metadata: { namespace = '', name, uid } }: Machine): ObjectReference {
  return { namespace, name, uid };
}

export function machineSubject({ namespace, name, uid }: ObjectReference): EventSubject {
  return { apiVersion, kind: 'Machine', namespace, name, uid };
}

/** A consistent LIST. */
export async function readMachines(control: KubeClient, namespace: string): Promise<Machine[]> {
  return (await control.list<Machine>(customResource('machines', namespace))).items;
}
