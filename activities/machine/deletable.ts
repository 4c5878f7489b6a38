/** What the objects say before a driver deletes an instance: a history alone is no reason to. */
import { DriverError } from '../drivers/driver.ts';
import type {
  DeleteListedRequest,
  DriverRequest,
} from '../../workflows/contracts/driver-contract.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isSameInstance } from '../../workflows/values/provider-id.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { ignoreNotFound } from '../kube/client/ignore.ts';
import { customResource } from '../kube/client/paths.ts';
import { listMachines } from './meltdown.ts';

/**
 * The instance of a Machine goes when the Machine has a deletionTimestamp and our finalizer, or
 * when no Machine claims the instance that is named, as one that was made and cannot be used.
 */
export async function requireDeletable(
  control: KubeClient,
  { machine, providerID }: Pick<DriverRequest, 'machine' | 'providerID'>,
): Promise<void> {
  const { namespace, name, uid } = machine;
  const path = customResource('machines', namespace, name);
  const found = await ignoreNotFound(control.get<Machine>(path));
  if (found?.metadata.uid === uid && isBeingDeleted(found)) return;
  if (found && providerID === undefined) {
    throw refusal(`Machine ${namespace}/${name} is not being deleted (UID ${found.metadata.uid})`);
  }
  if (providerID !== undefined) await requireUnclaimed(control, { namespace, providerID });
}

/** An instance that a listing showed: a Machine may have taken it since. */
export async function requireUnclaimed(
  control: KubeClient,
  { namespace, providerID }: Pick<DeleteListedRequest, 'namespace' | 'providerID'>,
): Promise<void> {
  const machines = await listMachines({ control, namespace });
  const owner = machines.find(({ spec }) => isClaimOf(spec.providerID, providerID));
  if (owner) throw refusal(`Machine ${namespace}/${owner.metadata.name} has it`);
}

/**
 * Has a Machine other than this one the instance? One of the same name and another UID is another.
 */
export async function isClaimed(
  control: KubeClient,
  machine: DriverRequest['machine'],
  providerID: string,
): Promise<boolean> {
  const { namespace } = machine;
  const machines = await listMachines({ control, namespace });
  return machines.some(
    ({ metadata, spec }) => isClaimOf(spec.providerID, providerID) && metadata.uid !== machine.uid,
  );
}

/** `claim`: what a Machine says of its instance. One that says nothing claims none. */
export function isClaimOf(claim: string | undefined, providerID: string | undefined): boolean {
  return Boolean(claim) && isSameInstance(claim, providerID);
}

function isBeingDeleted({ metadata }: Machine): boolean {
  const { deletionTimestamp, finalizers: present = [] } = metadata;
  return deletionTimestamp !== undefined && present.includes(finalizers.machine);
}

function refusal(why: string): DriverError {
  const message = `the instance is not deleted: ${why}`;
  return new DriverError({ code: 'FailedPrecondition', message, settled: false });
}
