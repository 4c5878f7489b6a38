/** Deletes instances, and ends when they are gone: until then they write to their volumes. */
import type { Account } from './account.ts';
import { errorOfOperation, fault } from './compute-error.ts';
import type { ComputeInstance, ComputeOperation } from './compute.ts';
import { isEnding } from './instance.ts';
import { isTransient, untilDone } from './operation.ts';
import { Patience } from './patience.ts';
import type { PatienceOptions } from './patience.ts';

export interface Removal {
  account: Account;
  signal: AbortSignal;
  options: PatienceOptions;
}

export async function remove(removal: Removal, instance: ComputeInstance): Promise<void> {
  const { name } = instance.place;
  const { signal } = removal;
  const patience = new Patience(removal.options, signal);
  let left: ComputeInstance | undefined = instance;
  while (left) {
    requireUnprotected(left);
    const operation = await begin(removal, left);
    if (operation) await finish(removal, { operation, patience, instance: left });
    left = await lookAgain(removal, instance);
    if (left && !(await patience.pause())) {
      throw fault('unanswered', `instance ${name} is still ${left.status}; it is looked at again`);
    }
  }
}

function requireUnprotected({ isProtected, place }: ComputeInstance): void {
  if (!isProtected) return;
  const message = `instance ${place.name} is protected against deletion: clear deletionProtection on it in ${place.zone}, and in the MachineClass for those to come`;
  throw fault('precondition', message);
}

/**
 * Without a request id: it would bring back the operation of an earlier try that failed. Undefined when there is nothing to
 * wait for, as somebody else's delete is under way.
 */
async function begin(
  { account, signal }: Removal,
  instance: ComputeInstance,
): Promise<ComputeOperation | undefined> {
  try {
    return await account.compute.delete(instance.place, signal);
  } catch (error) {
    if (isEnding(instance) && isTransient(error)) return undefined;
    throw error;
  }
}

interface Begun {
  operation: ComputeOperation;
  patience: Patience;
  instance: ComputeInstance;
}

async function finish({ account, signal }: Removal, begun: Begun): Promise<void> {
  const { project, zone, name } = begun.instance.place;
  const wait = { compute: account.compute, project, zone, patience: begun.patience, signal };
  const done = await untilDone(wait, begun.operation);
  if (done.errors.length === 0) return;
  // Whoever was faster.
  if (done.errors.every(({ code }) => code === 'RESOURCE_NOT_FOUND')) return;
  throw errorOfOperation(`delete instance ${name}`, done, false);
}

/** A namesake that was made meanwhile is another one. */
async function lookAgain(
  { account, signal }: Removal,
  { id, place }: ComputeInstance,
): Promise<ComputeInstance | undefined> {
  const instance = await account.compute.get(place, signal);
  return instance?.id === id ? instance : undefined;
}
