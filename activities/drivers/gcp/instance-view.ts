/** Instances and operations of Compute Engine as the frame and the core see them. */
import type { Instance } from '../driver.ts';
import type { Death, Operation, Resource, State } from '../frame/cloud.ts';
import type { Account } from './client.ts';
import type { ComputeInstance, ComputeOperation } from './compute.ts';
import { errorOfOperation } from './error-mapping.ts';
import type { InstanceResource } from './instance-resource.ts';
import { providerIDOf, refOfPlace } from './provider-id.ts';

export interface GcpInstance extends Resource {
  instance: ComputeInstance;
}

export interface GoogleCloud {
  account: Account;
  thing: GcpInstance;
  content: InstanceResource;
}

export function viewOf(instance: ComputeInstance): GcpInstance {
  const { id, place, labels, createdAt } = instance;
  const { project, zone, name } = place;
  return {
    ref: refOfPlace(place),
    uid: id,
    name,
    place: { project, zone },
    tags: labels,
    createdAt,
    instance,
  };
}

/** The Node is called as the instance; nothing is to be done once it exists. */
export function instanceOf({ instance: { place, addresses } }: GcpInstance): Instance {
  return { providerID: providerIDOf(place), nodeName: place.name, addresses, isInitialized: true };
}

const states: Readonly<Record<string, State['is']>> = {
  // An insert is under way.
  PENDING: 'coming',
  PROVISIONING: 'coming',
  STAGING: 'coming',
  // On its way down: deleted, or stopped.
  PENDING_STOP: 'going',
  STOPPING: 'going',
  DEPROVISIONING: 'going',
  // Stopped by itself, by Google or by a person; it still exists.
  TERMINATED: 'failed',
  STOPPED: 'failed',
  SUSPENDING: 'failed',
  SUSPENDED: 'failed',
};

export function stateOf({ instance: { status } }: GcpInstance): State {
  return { is: states[status] ?? 'ready', words: status };
}

/**
 * Google names no reason for a preemption on the instance: a spot instance that has not been used
 * yet was most likely taken back, for want of capacity (Compute Engine, "Spot VMs", preemption
 * process).
 */
export function deathOf({ instance }: GcpInstance): Death {
  const { place, status, statusMessage, isSpot } = instance;
  const words = statusMessage === undefined ? '' : `: ${statusMessage}`;
  const start = `instance ${place.name} is ${status} before it was of use${words}`;
  if (!isSpot) return { meaning: 'conflict', message: `${start}; something has stopped it` };
  return {
    meaning: 'capacity',
    message: `${start}; Google takes spot instances back where it needs the capacity`,
  };
}

export function protectionOf({ instance }: GcpInstance): string | undefined {
  const { isProtected, place } = instance;
  return isProtected
    ? `instance ${place.name} is protected against deletion: clear deletionProtection on it in ${place.zone}, and in the MachineClass for those to come`
    : undefined;
}

const callNames = {
  make: 'insert instance',
  remove: 'delete instance',
  retag: 'set labels of instance',
} as const;

export function operationOf(operation: ComputeOperation): Operation {
  const { name, status, isDone, progress, begunAt, endedAt, errors } = operation;
  const percent = progress === undefined ? '' : `, ${progress} %`;
  return {
    name,
    isDone,
    progress: `${status}${percent}`,
    begunAt,
    endedAt,
    ...(errors.length > 0 && {
      failure: (kind, of, settled) =>
        errorOfOperation(`${callNames[kind]} ${of}`, operation, settled),
      isForNothing: errors.every(({ code }) => code === 'RESOURCE_NOT_FOUND'),
    }),
  };
}
