/** Direction of a rollout: forward or back. */
import type { ObservedDeployment, SetFacts } from './facts.ts';
import { exists } from './sizing.ts';

/**
 * A new set gets the highest revision when it is made, an earlier one when it is synced as the set
 * of the template again.
 */
export function isRollback({ sets }: ObservedDeployment, target: SetFacts): boolean {
  if (!exists(target)) return false;
  return target.isFormer || sets.some(({ revision }) => revision > target.revision);
}
