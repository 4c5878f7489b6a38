/** What is done to the sets so that they get the sizes that a strategy gave them. */
import type { SetFacts } from './facts.ts';
import { isActive } from './facts.ts';
import { setsToRemove } from './history.ts';
import { isScalingEvent } from './scaling.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { exists, unsettledOf } from './sizing.ts';
import type { DeploymentStep } from './steps.ts';

export function stepsOf(rollout: Rollout, strategy: StrategyPlan): DeploymentStep[] {
  const { facts, target } = rollout;
  if (!exists(target) && strategy.mayCreate) return [createTarget(rollout, strategy)];
  const sync = syncOf(rollout);
  if (sync) return [sync];
  const keeps = facts.isPaused || facts.progress.isComplete;
  const obsolete = keeps ? setsToRemove(facts, [target]) : [];
  const steps = [...upkeepOf(rollout), ...scalesOf(rollout, strategy.sizes)];
  if (obsolete.length > 0) {
    steps.push({ action: 'deleteSets', names: obsolete, reason: 'beyond the history limit' });
  }
  return steps;
}

function createTarget({ facts, target }: Rollout, { sizes }: StrategyPlan): DeploymentStep {
  const size = sizes.find(({ set }) => set === target);
  const { replicas, reason } = size ?? { replicas: 0, reason: 'the template has no set yet' };
  const revision = nextRevision(facts.sets);
  return { action: 'createSet', name: target.name, replicas, revision, reason };
}

function nextRevision(sets: readonly SetFacts[]): number {
  return Math.max(0, ...sets.map(({ revision }) => revision)) + 1;
}

/** The set of the template takes over what is copied to it, and has the highest revision of all. */
function syncOf({ facts, target, others }: Rollout): DeploymentStep | undefined {
  if (!target.isOfTemplate || !exists(target) || target.isDeleting || facts.isPaused)
    return undefined;
  const revision = Math.max(target.revision, nextRevision(others));
  if (!target.needsSync && revision === target.revision) return undefined;
  const { name, resourceVersion } = target;
  const reason = 'takes over what the deployment says';
  return { action: 'syncSet', name, resourceVersion, revision, reason };
}

function upkeepOf({ facts, target, others }: Rollout): DeploymentStep[] {
  const { marks, grants = [], strategy } = facts;
  const steps: DeploymentStep[] = [];
  if (marks) {
    const reason = 'the cluster autoscaler chose these machines';
    steps.push({ action: 'markMachines', ...marks, reason });
  }
  for (const grant of grants) {
    steps.push({ action: 'grantReplacements', ...grant, reason: 'the replacement budget' });
  }
  const closing = strategy === 'OnDelete' ? others.filter((set) => isActive(set)) : [];
  for (const set of closing.filter(({ isClosed }) => !isClosed)) {
    steps.push(closeSet(set, true, 'OnDelete: old sets make no machines'));
  }
  if (target.isClosed) steps.push(closeSet(target, false, 'it is to make machines again'));
  return steps;
}

function closeSet(set: SetFacts, isClosed: boolean, reason: string): DeploymentStep {
  const { name, resourceVersion } = set;
  return { action: 'closeSet', name, resourceVersion, isClosed, reason };
}

/** Sets that keep their size still note for how many replicas of the deployment it is theirs. */
function scalesOf({ facts, target, others }: Rollout, sizes: Sizing[]): DeploymentStep[] {
  const scales = sizes.map(({ set, replicas, reason }) => scale(set, replicas, reason));
  const sets = [...others, target].filter(exists);
  if (isScalingEvent(facts) && sizes.length === 0 && unsettledOf(sets)) return [];
  const stale = sets.filter(
    (set) =>
      !set.hasFreshScaling &&
      !set.isDeleting &&
      (set.replicas > 0 || set === target) &&
      sizes.every((sizing) => sizing.set.name !== set.name),
  );
  const reason = `noted for ${facts.replicas} replicas`;
  return [...scales, ...stale.map((set) => scale(set, set.replicas, reason))];
}

function scale(set: SetFacts, replicas: number, reason: string): DeploymentStep {
  const { name, resourceVersion, replicas: from } = set;
  return { action: 'scaleSet', name, resourceVersion, from, replicas, reason };
}
