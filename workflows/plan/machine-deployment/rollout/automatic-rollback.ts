/** Option `millwright.dev/auto-rollback`: a template that does not come up is given up. */
import type { DeploymentFacts, ObservedDeployment, SetFacts } from './facts.ts';
import { availableAt } from './facts.ts';
import { previousOf } from './rollback.ts';
import { excusedIn } from './sizing.ts';
import type { DeploymentStep } from './steps.ts';

/** The set whose template was given up and is still the deployment's. */
export function givenUpIn({ options, sets }: ObservedDeployment): SetFacts | undefined {
  return sets.find((set) => set.isOfTemplate && set.name === options.rolledBackFrom);
}

/**
 * Once the progress deadline has passed and new machines are missing, the set before takes over
 * until the template changes. The template itself stays: whatever wrote it would only write it
 * again. Old machines that do not go away are no reason to give up the new ones. What was updated
 * in place is not taken back without a person: an agent that cannot do that, as with a kubelet or
 * an operating system, would leave one broken Node after the other.
 */
export function planAutomaticRollback(facts: DeploymentFacts): DeploymentStep | undefined {
  const { options, sets } = facts;
  const failing = sets.find((set) => set.isOfTemplate);
  if (options.rolledBackFrom !== undefined && failing && !givenUpIn(facts)) {
    return {
      action: 'forgetGivenUp',
      reason: `the template changed: that ${options.rolledBackFrom} was given up counts no more`,
    };
  }
  if (!isDue(facts) || !failing || missingIn(failing) <= 0) return undefined;
  const onto = previousOf(sets);
  if (!onto) return undefined;
  const reason = `MachineSet ${failing.name} made no progress within the deadline: back to ${onto.name} until the template changes`;
  return { action: 'giveUp', set: failing.name, onto: onto.name, reason };
}

function isDue(facts: DeploymentFacts): boolean {
  const { options, progress, isLateByOld, strategy } = facts;
  if (strategy === 'InPlaceUpdate') return false;
  return options.autoRollback && progress.isOverdue && !isLateByOld && !givenUpIn(facts);
}

/** A machine that is kept for inspection, so not replaced, proves nothing against the others. */
function missingIn(set: SetFacts): number {
  return set.replicas - availableAt(set) - excusedIn(set);
}

/** Facts as they were read, with what earlier reads since the deadline say of why it passed. */
export function withLateness(
  before: DeploymentFacts | undefined,
  facts: DeploymentFacts,
): DeploymentFacts {
  const newSet = facts.sets.find((set) => set.isOfTemplate);
  const isWhole = newSet !== undefined && missingIn(newSet) <= 0;
  const isLateByOld = facts.progress.isOverdue && (before?.isLateByOld === true || isWhole);
  return isLateByOld ? { ...facts, isLateByOld } : facts;
}
