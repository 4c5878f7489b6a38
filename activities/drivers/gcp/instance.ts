/** An instance as the core sees it. */
import type { Instance, ListedInstance } from '../driver.ts';
import type { ComputeInstance } from './compute.ts';
import { providerIDOf, tokenOf } from './identity.ts';

/** The Node is called as the instance; nothing is to be done once it exists. */
export function instanceOf({ place, addresses }: ComputeInstance): Instance {
  return { providerID: providerIDOf(place), nodeName: place.name, addresses, isInitialized: true };
}

export function listed(instance: ComputeInstance): ListedInstance {
  const { place, createdAt } = instance;
  const token = tokenOf(instance);
  return {
    providerID: providerIDOf(place),
    machineName: place.name,
    ...(token !== undefined && { token }),
    ...(createdAt !== undefined && { createdAt }),
  };
}

const endingStates = ['PENDING_STOP', 'STOPPING', 'DEPROVISIONING'];

/** On its way down: deleted, or stopped. */
export function isEnding({ status }: ComputeInstance): boolean {
  return endingStates.includes(status);
}
