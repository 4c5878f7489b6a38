/** Steps that give the sets the sizes that a strategy chose. */
import { marksFor } from './autoscaler-marks.ts';
import type { DeploymentFacts, Marks, ObservedDeployment, SetFacts } from './facts.ts';
import { isActive, sumOf } from './facts.ts';
import { isGoingBack, takesMachines } from './gate.ts';
import { isScalingEvent } from './scaling.ts';
import type { Rollout, Sizing, StrategyPlan } from './sizing.ts';
import { exists, mostOf, unsettledOf } from './sizing.ts';
import type { DeploymentStep } from './steps.ts';

export function stepsOf(
  rollout: Rollout<DeploymentFacts>,
  strategy: StrategyPlan,
): DeploymentStep[] {
  const { facts, target } = rollout;
  if (!exists(target) && strategy.mayCreate) return [createTarget(rollout, strategy)];
  const sync = syncOf(rollout);
  if (sync) return [sync];
  const keeps = facts.isPaused || facts.progress.isComplete;
  const obsolete = keeps ? setsToRemove(facts, [target]) : [];
  const closings = closingsOf(rollout, strategy);
  // A set that is closed or opened is scaled at the next read.
  const scales = scalesOf(rollout, strategy.sizes).filter(
    ({ name }) => !closings.some((step) => step.name === name),
  );
  const sets = [...rollout.others, target].filter(exists);
  const isAtRest = closings.length === 0 && scales.length === 0 && !unsettledOf(sets);
  const marks = marksFor(facts.marks, isAtRest && isTaken(rollout, []));
  const steps: DeploymentStep[] = [...marksOf(marks), ...grantsOf(facts), ...closings, ...scales];
  if (obsolete.length > 0) {
    steps.push({ action: 'deleteSets', names: obsolete, reason: 'beyond the history limit' });
  }
  return steps;
}

function createTarget(rollout: Rollout, { sizes }: StrategyPlan): DeploymentStep {
  const { facts, target } = rollout;
  const size = sizes.find(({ set }) => set === target);
  const { replicas, reason } = size ?? { replicas: 0, reason: 'the template has no set yet' };
  const revision = nextRevision(facts.sets);
  const { name } = target;
  // Where people select, it begins with the first of them.
  const mark = markOf(rollout, !facts.isManual);
  return { action: 'createSet', name, replicas, revision, reason, ...mark };
}

/** Only where policies are there to ask: earlier histories have no such field. */
export function markOf(
  rollout: Rollout,
  isOfRollout = false,
): Pick<DeploymentStep & { action: 'scaleSet' }, 'disrupts' | 'isUrgent'> {
  const { gate } = rollout.facts;
  if (!gate || !isOfRollout || !takesMachines(rollout)) return {};
  return { disrupts: true, ...(isGoingBack(rollout) && { isUrgent: true }) };
}

function nextRevision(sets: readonly SetFacts[]): number {
  return Math.max(0, ...sets.map(({ revision }) => revision)) + 1;
}

/** The set of the template takes over what is copied to it, and has the highest revision of all. */
function syncOf({ facts, target, others }: Rollout<DeploymentFacts>): DeploymentStep | undefined {
  if (!target.isOfTemplate || !exists(target) || target.isDeleting) return undefined;
  if (facts.isPaused || facts.isSyncHeldBack) return undefined;
  const revision = Math.max(target.revision, nextRevision(others));
  if (!target.needsSync && revision === target.revision) return undefined;
  const { name, resourceVersion } = target;
  const reason = 'takes over what the deployment says';
  return { action: 'syncSet', name, resourceVersion, revision, reason };
}

/** Before the sizes: a set that shrinks is to know which machines go first. */
function marksOf(marks: Marks | undefined): DeploymentStep[] {
  const reason = 'the cluster autoscaler chose these machines';
  return marks ? [{ action: 'markMachines', ...marks, reason }] : [];
}

function grantsOf({ grants = [] }: DeploymentFacts): DeploymentStep[] {
  const reason = 'the replacement budget';
  return grants.map((grant) => ({ action: 'grantReplacements', ...grant, reason }));
}

type CloseStep = Extract<DeploymentStep, { action: 'closeSet' }>;
type ScaleStep = Extract<DeploymentStep, { action: 'scaleSet' }>;

/**
 * A closed set makes no machine, so none is closed while the rollout stands still or when the
 * strategy is another one; but for one whose machines move to another set by an update in place: it
 * would make others for them.
 */
function closingsOf(
  { facts, target, others }: Rollout,
  { closesOld = false, openings }: StrategyPlan,
): CloseStep[] {
  const {
    close = closesOld ? others.filter(isActive) : [],
    open = closesOld ? [target] : [target, ...others],
  } = openings ?? {};
  const reason = `${facts.strategy}: old sets make no machines`;
  return [
    ...close
      .filter(({ isClosed, isDeleting }) => !isClosed && !isDeleting)
      .map((set) => closeSet(set, true, reason)),
    ...open
      .filter(({ isClosed, isDeleting }) => isClosed && !isDeleting)
      .map((set) => closeSet(set, false, 'it is to make machines again')),
  ];
}

function closeSet(set: SetFacts, isClosed: boolean, reason: string): CloseStep {
  const { name, resourceVersion } = set;
  return { action: 'closeSet', name, resourceVersion, isClosed, reason };
}

/**
 * Sets that keep their size still note for how many replicas of the deployment it is theirs, but
 * not before some set has taken that number: by the note MCM, and a paused rollout here, see that
 * `replicas` changed.
 */
function scalesOf(rollout: Rollout, sizes: Sizing[]): ScaleStep[] {
  const { facts, target, others } = rollout;
  const scale = scaling(facts);
  const scales = sizes.map(({ set, replicas, reason, isOfRollout }) => ({
    ...scale(set, replicas, reason),
    ...markOf(rollout, isOfRollout),
  }));
  const sets = [...others, target].filter(exists);
  const isWaiting = isScalingEvent(facts) && sizes.length === 0 && unsettledOf(sets);
  if (isWaiting || !isTaken(rollout, sizes)) return scales;
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

/** With these sizes the sets have as many replicas as are wanted, and no more than there may be. */
function isTaken({ facts, target, others }: Rollout, sizes: readonly Sizing[]): boolean {
  const { replicas } = facts;
  const sum = sumOf([...others, target], (set) => {
    const sizing = sizes.find((one) => one.set.name === set.name);
    return sizing?.replicas ?? set.replicas;
  });
  return sum >= replicas && sum <= mostOf(facts);
}

/**
 * Notes about the size for the cluster autoscaler go to the set of the template in one write with
 * that size: a machine that bears an earlier mark must not go and be replaced before the set
 * shrinks.
 */
function scaling({ scaledAt }: ObservedDeployment) {
  return (set: SetFacts, replicas: number, reason: string): ScaleStep => {
    const { name, resourceVersion, replicas: from, isOfTemplate } = set;
    const note = isOfTemplate && scaledAt !== undefined ? { scaledAt } : {};
    return { action: 'scaleSet', name, resourceVersion, from, replicas, ...note, reason };
  };
}

/**
 * The ones with the lowest revisions go; MCM v0.62.1 takes the oldest objects, which after a
 * rollback may be the ones that were used last. Without a limit all are kept. The set of a template
 * that was given up is the only record of that.
 */
function setsToRemove(
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
