/** The activities of the front's workflows. */
import type { FrontActivities } from '../../workflows/contracts/front-activities.ts';
import type { FrontDependencies } from './dependencies.ts';
import { syncPool } from './sync-pool.ts';

export function createFrontActivities(dependencies: FrontDependencies): FrontActivities {
  return { syncPool: ({ ref }) => syncPool(dependencies, ref) };
}
