/** Deletes everything of a Machine, and one that was listed. */
import { DriverPending, type DeleteListedRequest, type MachineRequest } from '../driver.ts';
import { deletionNotesIn, deletionCheckpoint, type DeletionNote } from './checkpoint.ts';
import type { Account } from './client.ts';
import type { ComputeInstance, ComputeOperation } from './compute.ts';
import { fault, errorOfOperation } from './error-mapping.ts';
import { belongsTo, findAll, placeOfProviderID } from './find.ts';
import {
  isRecent,
  isTransient,
  nextPause,
  pausesWithin,
  pending,
  resumed,
  untilDone,
  type WaitLimits,
  type OperationWait,
} from './wait.ts';
import type { Pauses } from '../wait.ts';
import { isEnding } from './instance-view.ts';

export async function deleteInstance(
  account: Account,
  request: MachineRequest,
  options: WaitLimits,
): Promise<{ found: boolean }> {
  const instances = await lookFor(findAll(account, request), request);
  const { signal, checkpoint } = request;
  await removeAll({ account, signal, options, checkpoint }, instances);
  return { found: instances.length > 0 || deletionNotesIn(checkpoint).size > 0 };
}

export async function deleteListed(
  account: Account,
  request: DeleteListedRequest,
  options: WaitLimits,
): Promise<{ found: boolean }> {
  const place = placeOfProviderID(request.providerID);
  const instance = await account.compute.get(place, request.signal);
  if (!instance || !belongsTo(request, instance)) return { found: false };
  await removeInOneCall({ account, signal: request.signal, options }, instance);
  return { found: true };
}

/** The contract has no `pending` for an orphan: the next search for orphans finds what is left. */
async function removeInOneCall(removal: InstanceRemoval, instance: ComputeInstance): Promise<void> {
  try {
    await remove(removal, instance);
  } catch (error) {
    if (error instanceof DriverPending) throw fault('unanswered', error.message);
    throw error;
  }
}

interface InstanceRemoval {
  account: Account;
  signal: AbortSignal;
  options: WaitLimits;
  /** The checkpoint of the call before. */
  checkpoint?: string | undefined;
}

/**
 * All at once. Throws `DriverPending` when some are under way, and a failure when one has failed.
 */
async function removeAll(
  removal: InstanceRemoval,
  instances: readonly ComputeInstance[],
): Promise<void> {
  const ends = await Promise.allSettled(instances.map((instance) => remove(removal, instance)));
  const reasons = ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  const failure = reasons.find((reason) => !(reason instanceof DriverPending));
  if (failure !== undefined) throw failure;
  const waits = reasons.filter((reason) => reason instanceof DriverPending);
  if (waits.length > 0) throw together(waits);
}

function together(waits: readonly DriverPending[]): DriverPending {
  const notes = waits.flatMap(({ checkpoint }) => [...deletionNotesIn(checkpoint).values()]);
  return new DriverPending({
    message: waits.map(({ message }) => message).join('; '),
    pollAfterSeconds: Math.max(...waits.map(({ pollAfterSeconds }) => pollAfterSeconds)),
    ...(notes.length > 0 && { checkpoint: deletionCheckpoint(notes) }),
  });
}

/**
 * What is there of a Machine that is being deleted. Throws `DriverPending` when a deletion is under
 * way and this look fails.
 */
async function lookFor(
  look: Promise<ComputeInstance[]>,
  { machine, checkpoint }: Pick<MachineRequest, 'machine' | 'checkpoint'>,
): Promise<ComputeInstance[]> {
  try {
    return await look;
  } catch (error) {
    if (checkpoint === undefined || !isTransient(error)) throw error;
    const what = `instance ${machine.name} is being deleted (the last look failed: ${error.message})`;
    throw pending(what, { retryAfterSeconds: error.retryAfterSeconds, checkpoint });
  }
}

/** Throws `DriverPending` as long as it is under way. */
async function remove(removal: InstanceRemoval, instance: ComputeInstance): Promise<void> {
  const { name } = instance.place;
  const pauses = pausesWithin(removal.options, removal.signal);
  const note = deletionNotesIn(removal.checkpoint).get(instance.id);
  let left: ComputeInstance | undefined = instance;
  if (note && (await isEnded({ removal, pauses, instance }, note))) {
    left = await lookAgain(removal, instance, note.operation);
  }
  while (left) {
    requireUnprotected(left);
    const operation = await begin(removal, left);
    if (operation) {
      const deletion = { removal, pauses, instance: left };
      requireDone(deletion, await untilDone(waitOf(deletion), operation));
    }
    left = await lookAgain(removal, instance, operation?.name);
    if (left && !(await nextPause(pauses))) {
      throw pending(`instance ${name} is being deleted (${left.status})`);
    }
  }
}

function requireUnprotected({ isProtected, place }: ComputeInstance): void {
  if (!isProtected) return;
  const message = `instance ${place.name} is protected against deletion: clear deletionProtection on it in ${place.zone}, and in the MachineClass for those to come`;
  throw fault('precondition', message);
}

/**
 * Without a request id: it would bring back the operation of an earlier try that failed. Undefined
 * when there is nothing to wait for, as the delete of another caller is under way.
 */
async function begin(
  { account, signal }: InstanceRemoval,
  instance: ComputeInstance,
): Promise<ComputeOperation | undefined> {
  try {
    return await account.compute.delete(instance.place, signal);
  } catch (error) {
    if (isEnding(instance) && isTransient(error)) return undefined;
    throw error;
  }
}

interface Deletion {
  removal: InstanceRemoval;
  pauses: Pauses;
  instance: ComputeInstance;
}

/**
 * The operation of an earlier call. False: it is of no use any more, and the delete is to be sent
 * again.
 */
async function isEnded(deletion: Deletion, { operation }: DeletionNote): Promise<boolean> {
  const done = await resumed(waitOf(deletion), operation);
  if (!done) return false;
  if (isRecent(done)) requireDone(deletion, done);
  return done.errors.length === 0;
}

function waitOf({ removal, pauses, instance }: Deletion): OperationWait {
  const { account, signal } = removal;
  const { id, place } = instance;
  return {
    compute: account.compute,
    place,
    pauses,
    signal,
    what: `instance ${place.name} is being deleted`,
    checkpointOf: (operation) => deletionCheckpoint([{ id, operation }]),
  };
}

function requireDone({ instance }: Deletion, done: ComputeOperation): void {
  // Another caller deleted it first.
  if (done.errors.every(({ code }) => code === 'RESOURCE_NOT_FOUND')) return;
  throw errorOfOperation(`delete instance ${instance.place.name}`, done, false);
}

/**
 * A namesake that was made meanwhile is another one. `operation`: which deletes it, if it is known.
 */
async function lookAgain(
  { account, signal }: InstanceRemoval,
  { id, place }: ComputeInstance,
  operation: string | undefined,
): Promise<ComputeInstance | undefined> {
  try {
    const instance = await account.compute.get(place, signal);
    return instance?.id === id ? instance : undefined;
  } catch (error) {
    if (!isTransient(error)) throw error;
    const what = `instance ${place.name} is being deleted (the last look failed: ${error.message})`;
    const notes = operation === undefined ? [] : [{ id, operation }];
    const { retryAfterSeconds } = error;
    throw pending(what, { retryAfterSeconds, checkpoint: deletionCheckpoint(notes) });
  }
}
