/** Old sets are kept to roll back to, as many as `spec.revisionHistoryLimit` says. */
import type { DeploymentFacts, SetFacts } from './facts.ts';
import { isActive } from './facts.ts';

/**
 * The ones with the lowest revisions go; MCM v0.62.1 takes the oldest objects, which after a
 * rollback may be the ones that were used last. Without a limit all are kept. The set of a template
 * that was given up is the only record of that.
 */
export function setsToRemove(
  { historyLimit, sets }: DeploymentFacts,
  kept: readonly SetFacts[],
): string[] {
  if (historyLimit === undefined) return [];
  const idle = sets
    .filter((set) => !kept.includes(set) && !set.isOfTemplate && !set.isDeleting)
    .filter((set) => !isActive(set) && set.isObserved)
    .toSorted((a, b) => a.revision - b.revision);
  return idle.slice(0, Math.max(idle.length - historyLimit, 0)).map(({ name }) => name);
}
