/** An instance as the core sees it. */
import type { Instance } from '../driver.ts';
import type { ComputeInstance } from './compute.ts';
import { providerIDOf } from './provider-id.ts';

/** The Node is called as the instance; nothing is to be done once it exists. */
export function instanceOf({ place, addresses }: ComputeInstance): Instance {
  return { providerID: providerIDOf(place), nodeName: place.name, addresses, isInitialized: true };
}

const endingStates = ['PENDING_STOP', 'STOPPING', 'DEPROVISIONING'];

const startingStates = ['PENDING', 'PROVISIONING', 'STAGING'];

/** An insert is under way. */
export function isStarting({ status }: ComputeInstance): boolean {
  return startingStates.includes(status);
}

const deadStates = ['TERMINATED', 'STOPPED', 'SUSPENDING', 'SUSPENDED'];

/** Stopped by itself, by Google or by a person; it still exists. */
export function isDead({ status }: ComputeInstance): boolean {
  return deadStates.includes(status);
}

export interface SpotMarks {
  preemptible?: boolean | null;
  provisioningModel?: unknown;
}

/** Google may take it back at any moment. */
export function isSpotBy({ preemptible, provisioningModel }: SpotMarks): boolean {
  return preemptible === true || provisioningModel === 'SPOT';
}

/** On its way down: deleted, or stopped. */
export function isEnding({ status }: ComputeInstance): boolean {
  return endingStates.includes(status);
}
