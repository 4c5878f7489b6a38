/** `spec.rollbackTo`: back to the template of an earlier set. */
import type { DeploymentFacts, SetFacts } from './facts.ts';
import type { DeploymentStep } from './steps.ts';

/** The step that answers `spec.rollbackTo`; undefined when nothing is asked. */
export function planRollback(facts: DeploymentFacts): DeploymentStep | undefined {
  const { rollbackTo: wish, sets } = facts;
  if (wish === undefined) return undefined;
  const set = wish === 0 ? previousOf(sets) : sets.find((one) => one.revision === wish);
  if (!set) {
    const reason =
      wish === 0
        ? 'Unable to find the last revision.'
        : 'Unable to find the revision to rollback to.';
    const event = 'DeploymentRollbackRevisionNotFound';
    return { action: 'refuseRollback', event, wish, reason: `${reason} Known are ${known(sets)}` };
  }
  if (set.isOfTemplate) {
    const reason = `The rollback revision contains the same template as the deployment: ${set.revision}`;
    const event = 'DeploymentRollbackTemplateUnchanged';
    return { action: 'refuseRollback', event, wish, reason };
  }
  const { name, revision } = set;
  return { action: 'rollBack', set: name, revision, wish, reason: `back to revision ${revision}` };
}

/** The second highest revision; where the template has no set yet, the highest. */
export function previousOf(sets: readonly SetFacts[]): SetFacts | undefined {
  const others = sets.filter((set) => !set.isOfTemplate && set.revision > 0 && !set.isDeleting);
  return others.toSorted((a, b) => b.revision - a.revision)[0];
}

function known(sets: readonly SetFacts[]): string {
  const revisions = sets.map(({ revision }) => revision).filter((revision) => revision > 0);
  return revisions.length === 0 ? 'none.' : `${revisions.toSorted((a, b) => a - b).join(', ')}.`;
}
