/** Reading and writing one Machine. */
import type { ObjectReference, NamespacedName } from '../../workflows/contracts/references.ts';
import { apiVersion, eventComponents } from '../../workflows/api/constants.ts';
import type { Machine, MachineStatus, LastOperation } from '../../workflows/api/machine.ts';
import { isHoldCondition } from '../../workflows/api/deletion-hooks.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isConflict, isNotFound } from '../../kube/client/errors.ts';
import type { EventSubject } from '../../kube/objects/event.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { StatusChanges } from './conditions.ts';
import {
  copiedConditions,
  unsettledConditions,
  isUnsettledCondition,
  type Unsettled,
} from '../../workflows/api/kstatus.ts';
import { timestamp } from '../../kube/objects/time.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { unsettledMachine } from '../../workflows/plan/machine/unsettled.ts';
import { defined } from '../../workflows/values/defined.ts';

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

/** Not for ever: an etcd that is restored from a backup of before undoes it. */
export function isDeleting({ metadata }: Machine): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * Merge-patches this life of a Machine, `/status` or the rest. Undefined when the object is gone or
 * its name belongs to another life.
 */
export async function patchMachine(
  control: KubeClient,
  machine: ObjectReference,
  patch: { metadata?: object; spec?: object } | { status: StatusChanges },
): Promise<Machine | undefined> {
  if ('status' in patch) {
    const seen = await readSameMachine(control, machine);
    return seen && (await patchStatus(control, seen, () => patch.status));
  }
  const metadata = { ...patch.metadata, uid: machine.uid };
  try {
    return await control.patch<Machine>(machinePath(machine), 'merge', { ...patch, metadata });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isConflict(error) && !(await readSameMachine(control, machine))) return undefined;
    throw error;
  }
}

/**
 * Writes what holds of the Machine as it was seen; a conflict when it is another one by now. The
 * version is the precondition, for two reasons. kube-apiserver ignores the UID in a patch of
 * `/status`: a late one would make a Machine of the same name Terminating or Failed, and its set
 * would replace it. And an attempt that was taken for dead would take a machine back to the phase
 * that it was in.
 *
 * The result of a check is written by this alone: it may not hold of what others have written
 * since, so the next attempt checks again. Also where the phase is the same: an attempt that is
 * over may come late, after a check that found the opposite.
 */
export async function patchCheckedStatus(
  control: KubeClient,
  seen: Machine,
  changes: StatusChanges,
): Promise<Machine> {
  const { uid, resourceVersion } = seen.metadata;
  const body = { metadata: { uid, resourceVersion }, status: withUnsettled(seen, changes) };
  const path = `${machinePath(referenceOf(seen))}/status`;
  return await control.patch<Machine>(path, 'merge', body);
}

/** Writes what is to be said of the Machine as it is then; nothing when that is undefined. */
export async function patchStatus(
  control: KubeClient,
  seen: Machine,
  statusOf: (current: Machine) => StatusChanges | undefined,
): Promise<Machine | undefined> {
  const write = async (isAgain: boolean): Promise<Machine | undefined> => {
    const current = isAgain ? await readSameMachine(control, referenceOf(seen)) : seen;
    const changes = current && statusOf(current);
    return changes && (await ignoreNotFound(patchCheckedStatus(control, current, changes)));
  };
  // A machine that is being made or joins changes several times within a second.
  return await retryOnConflict(write, { tries: 10 });
}

/** Undefined when the object is gone, or its name belongs to another one. */
export async function readSameMachine(
  control: KubeClient,
  machine: ObjectReference,
): Promise<Machine | undefined> {
  const found = await readMachine(control, machine);
  return found?.metadata.uid === machine.uid ? found : undefined;
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

/** Completes the patch, so that what kstatus goes by costs no write of its own. */
function withUnsettled(machine: Machine, { holds, ...changes }: StatusChanges): StatusChanges {
  const present = machine.status?.conditions ?? [];
  const before = unsettledIn(present);
  const after = unsettledAfter(machine, changes, before);
  const isSame = wordsOf(before) === wordsOf(after);
  if (changes.conditions === undefined && holds === undefined && isSame) return changes;
  const ofNode = copiedConditions(changes.conditions ?? present);
  const ofHooks = holds ?? (isDeleting(machine) ? present.filter(isHoldCondition) : []);
  const added = unsettledConditions(after, present, timestamp());
  // MCM's types have both times, and write a time that is missing as null.
  const timed = added.map((one) => ({ ...one, lastHeartbeatTime: one.lastTransitionTime }));
  return { ...changes, conditions: [...ofNode, ...ofHooks, ...timed] };
}

function unsettledAfter(
  machine: Machine,
  { currentStatus, lastOperation }: StatusChanges,
  before: Unsettled | undefined,
): Unsettled | undefined {
  const { status = {} } = machine;
  const after: MachineStatus = {
    currentStatus: { ...status.currentStatus, ...currentStatus },
    lastOperation: withoutNulls({ ...status.lastOperation, ...lastOperation }),
  };
  const isOwned = controllerOf(machine)?.kind === 'MachineSet';
  return unsettledMachine(
    defined({ isDeleting: isDeleting(machine), isOwned, status: after, before }),
  );
}

/** A merge patch removes with null. */
function withoutNulls(operation: LastOperation): LastOperation {
  return Object.fromEntries(Object.entries(operation).filter(([, value]) => value !== null));
}

function wordsOf(unsettled: Unsettled | undefined): string {
  return unsettled ? `${unsettled.type} ${unsettled.reason} ${unsettled.message}` : '';
}

function unsettledIn(conditions: readonly NodeCondition[]): Unsettled | undefined {
  const found = conditions.find(isUnsettledCondition);
  if (!found) return undefined;
  const { type, reason = '', message = '' } = found;
  return { type: type === 'Stalled' ? type : 'Reconciling', reason, message };
}
