/** An instance that ended while it was made, or right after. */
import type { ComputeError } from './error-mapping.ts';
import { fault } from './error-mapping.ts';
import type { ComputeInstance } from './compute.ts';

/**
 * It is still there, so nothing is settled. Google names no reason for a preemption on the
 * instance: a spot instance that has not been used yet was most likely taken back, for want of
 * capacity (Compute Engine, "Spot VMs", preemption process).
 */
export function deathOf({ place, status, statusMessage, isSpot }: ComputeInstance): ComputeError {
  const words = statusMessage === undefined ? '' : `: ${statusMessage}`;
  const start = `instance ${place.name} is ${status} before it was of use${words}`;
  if (!isSpot) return fault('conflict', `${start}; something has stopped it`);
  return fault(
    'capacity',
    `${start}; Google takes spot instances back where it needs the capacity`,
  );
}
