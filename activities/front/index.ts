/** The activities of the front's workflows. */
import { ObservedLease } from '../../kube/leases/observed-lease.ts';
import type { FrontActivities } from '../../workflows/contracts/front-activities.ts';
import type { FrontDependencies } from './dependencies.ts';
import { syncPool } from './sync-pool.ts';

export function createFrontActivities(dependencies: FrontDependencies): FrontActivities {
  // No process is called so: each holder of the Lease is another process.
  const observed = new ObservedLease({ identity: '', incarnation: '' });
  return { syncPool: (pass) => syncPool(dependencies, observed, pass) };
}
