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

/** A life of a Machine, and a version of it where one was read. */
export interface KnownMachine extends ObjectReference {
  resourceVersion?: string;
}

/**
 * Merge-patches this life of a Machine, `/status` or the rest. Undefined when the object is gone or
 * its name belongs to another life.
 */
export async function patchMachine(
  control: KubeClient,
  machine: KnownMachine,
  patch: { metadata?: object; spec?: object } | { status: object },
): Promise<Machine | undefined> {
  if ('status' in patch) return await patchStatus(control, machine, patch.status);
  const metadata = { ...patch.metadata, uid: machine.uid };
  try {
    return await control.patch<Machine>(machinePath(machine), 'merge', { ...patch, metadata });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isConflict(error) && (await versionOf(control, machine)) === undefined) return undefined;
    throw error;
  }
}

/** A machine that is being made or joins changes several times within a second. */
const mostTries = 10;

/**
 * kube-apiserver ignores the UID in a patch of `/status`: a late one would make a Machine of the
 * same name Terminating or Failed, and its set would replace it. So the version is the
 * precondition; what else changed meanwhile does not matter.
 */
async function patchStatus(
  control: KubeClient,
  machine: KnownMachine,
  status: object,
): Promise<Machine | undefined> {
  const path = `${machinePath(machine)}/status`;
  let resourceVersion = machine.resourceVersion ?? (await versionOf(control, machine));
  for (let tries = 1; resourceVersion !== undefined; tries += 1) {
    const metadata = { uid: machine.uid, resourceVersion };
    try {
      return await control.patch<Machine>(path, 'merge', { metadata, status });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || tries === mostTries) throw error;
    }
    resourceVersion = await versionOf(control, machine);
  }
  return undefined;
}

/** Undefined when the object is gone or another life. */
async function versionOf(
  control: KubeClient,
  machine: ObjectReference,
): Promise<string | undefined> {
  const metadata = (await readMachine(control, machine))?.metadata;
  return metadata?.uid === machine.uid ? metadata.resourceVersion : undefined;
}

export function referenceOf({ metadata: { namespace = '', name, uid } }: Machine): ObjectReference {
  return { namespace, name, uid };
}

/** Of a Machine that was just read. */
export function knownMachine(machine: Machine): KnownMachine {
  const { resourceVersion } = machine.metadata;
  return { ...referenceOf(machine), resourceVersion };
}

export function machineSubject({ namespace, name, uid }: ObjectReference): EventSubject {
  return { apiVersion, kind: 'Machine', namespace, name, uid };
}

/** A consistent LIST. */
export async function readMachines(control: KubeClient, namespace: string): Promise<Machine[]> {
  return (await control.list<Machine>(customResource('machines', namespace))).items;
}
