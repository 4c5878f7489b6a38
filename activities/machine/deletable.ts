/** Reads the objects before a driver deletes an instance: a history alone is no reason to. */
import { DriverError } from '../drivers/driver.ts';
import type {
  DeleteListedRequest,
  DriverRequest,
} from '../../workflows/contracts/driver-contract.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isSameInstance } from '../../workflows/values/provider-id.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { listMachines } from './meltdown.ts';

type InstanceDeletion = Pick<DriverRequest, 'machine' | 'token' | 'providerID'>;

/**
 * The instance of a Machine goes when the Machine has a deletionTimestamp and our finalizer, or
 * when no Machine claims the instance that is named, as one that was made and cannot be used. A
 * driver deletes every instance with the token or the name of the Machine, so the request must not
 * name those of another Machine: anyone who can write to Temporal can send it by hand. Returns the
 * Machine when it is being deleted.
 */
export async function requireDeletable(
  control: KubeClient,
  request: InstanceDeletion,
): Promise<Machine | undefined> {
  const { machine, token, providerID } = request;
  const { namespace, name, uid } = machine;
  if (!token.startsWith(`${uid}-`)) throw refusal(`the token ${token} is not of UID ${uid}`);
  const path = customResource('machines', namespace, name);
  const found = await ignoreNotFound(control.get<Machine>(path));
  const going = found?.metadata.uid === uid && isBeingDeleted(found) ? found : undefined;
  if (going) {
    if (isClaimOf(going.spec.providerID, providerID ?? going.spec.providerID)) return going;
  } else {
    requireNoOther(found, request);
    await requireNoTwin(control, machine);
  }
  if (providerID !== undefined) await requireUnclaimed(control, { namespace, providerID });
  return going;
}

/** It is not being deleted, so what is its own stays: its token finds that as well. */
function requireNoOther(
  found: Machine | undefined,
  { machine, providerID }: InstanceDeletion,
): void {
  if (!found) return;
  const hasOwn = found.metadata.uid === machine.uid && Boolean(found.spec.providerID);
  if (providerID !== undefined && !hasOwn) return;
  const { namespace, name } = machine;
  throw refusal(`Machine ${namespace}/${name} is not being deleted (UID ${found.metadata.uid})`);
}

/** A Machine of another name with this UID: its token would be found. */
async function requireNoTwin(
  control: KubeClient,
  { namespace, name, uid }: DriverRequest['machine'],
): Promise<void> {
  const machines = await listMachines({ control, namespace });
  const twin = machines.find(({ metadata }) => metadata.uid === uid && metadata.name !== name);
  if (twin) throw refusal(`UID ${uid} is that of Machine ${namespace}/${twin.metadata.name}`);
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

/**
 * Name of an older Machine with the instance of this one, which is then a copy. As of two that go
 * at once each has the other's claim, one of them has to be the one that takes it along.
 */
export async function elderOf(control: KubeClient, machine: Machine): Promise<string | undefined> {
  const { metadata, spec } = machine;
  if (!spec.providerID) return undefined;
  const machines = await listMachines({ control, namespace: metadata.namespace ?? '' });
  const elder = machines.find(
    (other) => isClaimOf(other.spec.providerID, spec.providerID) && ageOf(other) < ageOf(machine),
  );
  return elder?.metadata.name;
}

/** Sorts the older of two first. */
function ageOf({ metadata: { creationTimestamp, name } }: Machine): string {
  return `${creationTimestamp} ${name}`;
}

/** `claim`: a Machine's `spec.providerID`. A Machine without one claims none. */
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
