/** Deletes everything of a Machine, and one that was listed. */
import type { DeleteListedRequest, MachineRequest } from '../driver.ts';
import { DriverPending } from '../driver.ts';
import { deletionNotesIn } from './checkpoint.ts';
import type { Account } from './client.ts';
import type { ComputeInstance } from './compute.ts';
import { lookFor, remove, removeAll } from './delete-operation.ts';
import type { Removal } from './delete-operation.ts';
import { fault } from './error-mapping.ts';
import { belongsTo, findAll, placeOfProviderID } from './find.ts';
import type { WaitLimits } from './wait.ts';

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
async function removeInOneCall(removal: Removal, instance: ComputeInstance): Promise<void> {
  try {
    await remove(removal, instance);
  } catch (error) {
    if (error instanceof DriverPending) throw fault('unanswered', error.message);
    throw error;
  }
}
