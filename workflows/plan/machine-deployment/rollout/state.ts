/** Where a rollout is, in words for people and in a word for a search. */
import { defined } from '../../../values/defined.ts';
import { givenUpIn } from './automatic-rollback.ts';
import { isRollback } from './direction.ts';
import type { DeploymentFacts } from './facts.ts';
import { availableAt, isActive } from './facts.ts';
import type { Hold } from './hold.ts';
import type { Rollout, StrategyPlan } from './sizing.ts';
import { exists } from './sizing.ts';
import type { DeploymentPlan, RolloutState } from './steps.ts';

export type Shown = Pick<
  DeploymentPlan,
  'state' | 'reason' | 'next' | 'blockedBy' | 'needsPerson' | 'heldUntil'
>;

export function stateOf(
  rollout: Rollout<DeploymentFacts>,
  strategy: StrategyPlan,
  hold: Hold | undefined,
): Shown {
  if (hold) {
    const { reason, next, kind, blockedBy = kind, needsPerson, until: heldUntil } = hold;
    const state = 'Paused' as const;
    return defined({ state, reason, next, blockedBy, needsPerson, heldUntil });
  }
  return resultOf(rollout, strategy) ?? courseOf(rollout, strategy);
}

/** Only one set has machines, as many as are wanted, and all are available. */
export function isOver({ facts, target, others }: Rollout): boolean {
  const isTidied = (target.inPlace?.arrived.length ?? 0) === 0;
  const isWhole = exists(target) && availableAt(target) >= facts.replicas;
  return !others.some(isActive) && isWhole && isTidied;
}

function resultOf(rollout: Rollout<DeploymentFacts>, { reason }: StrategyPlan): Shown | undefined {
  const { facts, target } = rollout;
  if (!isOver(rollout)) return undefined;
  const failed = givenUpIn(facts);
  if (failed && failed !== target) {
    return {
      state: 'Blocked',
      reason: `rolled back to ${target.name}: the template of ${failed.name} was given up`,
      next: 'change the template, or take the annotation millwright.dev/rolled-back-from away',
      blockedBy: `MachineSet/${failed.name}`,
    };
  }
  return facts.progress.isComplete ? { state: 'Complete', reason } : undefined;
}

function courseOf(rollout: Rollout<DeploymentFacts>, strategy: StrategyPlan): Shown {
  const { reason, next, stall } = strategy;
  if (stall && strategy.sizes.length === 0) return { ...stall, state: 'Blocked' };
  const shown = { reason, ...(next !== undefined && { next }) };
  const obstacle = obstacleOf(rollout);
  if (obstacle === undefined || strategy.sizes.length > 0) {
    return { ...shown, state: directionOf(rollout) };
  }
  const problem = problemOf(rollout);
  const words = problem === undefined ? reason : `${reason}; ${problem}`;
  return { ...shown, reason: words, state: 'Blocked', blockedBy: obstacle };
}

function obstacleOf(rollout: Rollout<DeploymentFacts>): string | undefined {
  const { target } = rollout;
  const isStuck = problemOf(rollout) !== undefined && exists(target);
  return isStuck ? `MachineSet/${target.name}` : undefined;
}

/**
 * The deadline is that of the template's set, not of one that is gone back to after it was given
 * up.
 */
function problemOf({ facts, target }: Rollout<DeploymentFacts>): string | undefined {
  const isOverdue = facts.progress.isOverdue && target.isOfTemplate;
  return target.problem ?? (isOverdue ? 'no progress within the deadline' : undefined);
}

function directionOf({ facts, target, others }: Rollout): RolloutState {
  return isRollback(facts, target) && others.some(isActive) ? 'RollingBack' : 'Progressing';
}
