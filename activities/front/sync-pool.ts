/** One pass over a MachineDeployment of theirs. */
import type { SyncOutcome } from '../../workflows/contracts/front-activities.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import type { FrontDependencies } from './dependencies.ts';

export function syncPool(
  _dependencies: FrontDependencies,
  _ref: NamespacedName,
): Promise<SyncOutcome> {
  return Promise.resolve({ state: 'current', writes: 0, machines: 0 });
}
