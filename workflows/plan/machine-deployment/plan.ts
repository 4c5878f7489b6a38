/** Plan of a MachineDeployment: its next steps, and why. */
import { givenUpIn, planAutomaticRollback } from './rollout/automatic-rollback.ts';
import { canaryHold, canaryLimit, passedBy, planWave } from './rollout/canary.ts';
import type { DeploymentFacts, ObservedDeployment, SetFacts } from './rollout/facts.ts';
import { withDeletedSetsGoing } from './rollout/facts.ts';
import type { Hold } from './rollout/hold.ts';
import {
  asksAgainAt,
  closedHold,
  fillUp,
  limitHold,
  takesMachines,
  turningPointsOf,
} from './rollout/gate.ts';
import { holdOf, isRollingOut, keepsNodes, onDeleteHold } from './rollout/hold.ts';
import { keeperOf } from './rollout/keeper.ts';
import { currentOverride } from './rollout/policy-override.ts';
import type { Selection } from './rollout/in-place-selection.ts';
import { selectionHold, planInPlace, planInPlaceHeld, selectionIn } from './rollout/in-place.ts';
import { planNodes, planProtection } from './rollout/node-steps.ts';
import { planOnDelete } from './rollout/on-delete.ts';
import { rolledBackTo } from './rollout/progress.ts';
import { planRecreate } from './rollout/recreate.ts';
import { planRollback, previousOf } from './rollout/rollback.ts';
import { planRollingUpdate } from './rollout/rolling-update.ts';
import { scaleHeld } from './rollout/scaling.ts';
import { markOf, stepsOf } from './rollout/set-steps.ts';
import type { Rollout, StrategyPlan } from './rollout/sizing.ts';
import { blankSet, exists } from './rollout/sizing.ts';
import { isHeld } from '../requeues.ts';
import type { DeploymentRequeues } from './rollout/refused-steps.ts';
import { allowedSteps } from './rollout/refused-steps.ts';
import { stateOf } from './rollout/state.ts';
import type { PassedCanary } from './rollout/waves.ts';
import type { DeploymentPlan, DeploymentStep, RolloutState } from './rollout/steps.ts';

/** Rules of histories that began before the present ones. */
export interface EarlierRules {
  /** Nodes of a rollout that stands still are kept from the cluster autoscaler. */
  protectsHeldNodes?: boolean;
}

export interface Rules extends EarlierRules {
  /** See `standsStill`, milliseconds. Absent: it was not before. */
  heldSince?: number | undefined;
}

/** `requeues`: what is not to be tried yet is left out, with the time when it is. */
export function planMachineDeployment(
  facts: DeploymentFacts,
  now: number,
  { requeues = {}, ...rules }: Rules & { requeues?: DeploymentRequeues } = {},
): DeploymentPlan {
  const wanted = planRegardless(facts, now, rules);
  const wantsSync = wanted.steps.some(({ action }) => action === 'syncSet');
  const isSyncHeld = wantsSync && isHeld(requeues, 'sync', now);
  const plan = isSyncHeld ? planRegardless({ ...facts, isSyncHeldBack: true }, now, rules) : wanted;
  const steps = allowedSteps(facts, plan.steps, { requeues, now });
  const { steps: held } = requeues;
  const isHeldBack =
    steps.length > 0 && steps[0]?.action !== 'syncSet' && held && now < held.retryAt;
  return {
    ...plan,
    ...earliestOf([plan.until, currentOverride(facts.options, now)?.until]),
    steps: isHeldBack ? [] : steps,
    ...(wantsSync && { wantsSync }),
    ...(isHeldBack && { retryAt: held.retryAt }),
  };
}

function planRegardless(found: DeploymentFacts, now: number, rules: Rules): DeploymentPlan {
  const facts = withDeletedSetsGoing(found);
  if (facts.isDeleting) return planDeletion(facts);
  const fault = faultRefusalOf(facts);
  if (fault) return refuse(fault);
  const first = planAutomaticRollback(facts) ?? (facts.isPaused ? undefined : planRollback(facts));
  if (first) return { steps: [first], state: directionOf(first), reason: first.reason };
  const rollout = rolloutOf(facts);
  const hold = holdOf(facts, now) ?? closedHold(rollout, now);
  return hold ? planHeld(rollout, { hold, now, rules }) : planRollout(rollout, { now, rules });
}

function rolloutOf<Facts extends ObservedDeployment>(facts: Facts): Rollout<Facts> {
  const target = targetOf(facts);
  return { facts, target, others: facts.sets.filter((set) => set !== target) };
}

/** The set that is to have all machines in the end, which may be still to be made. */
function targetOf(facts: ObservedDeployment): SetFacts {
  const wanted = facts.sets.find((set) => set.isOfTemplate);
  const target = givenUpIn(facts) ? (previousOf(facts.sets) ?? wanted) : wanted;
  return target ?? blankSet(facts.newSetName);
}

/** Also where an automatic rollback leaves the template's set, and no other has a machine. */
export function mayTakeMachines(found: ObservedDeployment): boolean {
  const facts = withDeletedSetsGoing(found);
  return isRollingOut(facts) || takesMachines(rolloutOf(facts));
}

export function currentHold(found: ObservedDeployment, now: number): Hold | undefined {
  return holdIn(rolloutOf(withDeletedSetsGoing(found)), now);
}

/**
 * The first of several holds is shown. A pause and a faulty option come first: only a person ends
 * them, whatever else there is. Then the rollout's own time, as no policy matters before it. A
 * canary that has its machines waits for a person, who need not wait for a window to approve it; so
 * it comes before a closed policy. The last three are what is left when nothing is to be done:
 * people delete, or select, or other deployments have all that may be on their way. A canary hold,
 * and these three, are found by the plan itself: until then the rollout goes on.
 */
function holdIn(rollout: Rollout, now: number): Hold | undefined {
  const { facts, target } = rollout;
  return (
    holdOf(facts, now) ??
    canaryHold(facts, target) ??
    closedHold(rollout, now) ??
    onDeleteHold(facts, target) ??
    selectionHold(rollout) ??
    (facts.gate && limitHold(rollout, planStrategy(rollout, canaryLimit(facts, target))))
  );
}

/** What a person who names machines may have updated in place now, and why no more. */
export function selectionFor(
  found: ObservedDeployment,
  now: number,
  named: readonly string[],
): Selection & ReturnType<typeof markOf> {
  const facts = withDeletedSetsGoing(found);
  const rollout = rolloutOf(facts);
  const other = facts.strategy === 'InPlaceUpdate' ? undefined : `strategy ${facts.strategy}`;
  const hold = other ?? (holdOf(facts, now) ?? closedHold(rollout, now))?.reason;
  const selection = selectionIn(rollout, {
    named,
    hold,
    limit: canaryLimit(facts, rollout.target),
  });
  return { ...selection, ...markOf(rollout, true) };
}

/** Undefined while something else holds the rollout, or nothing does. */
export function canaryToPass(found: ObservedDeployment, now: number): PassedCanary | undefined {
  if (currentHold(found, now)?.kind !== 'canary') return undefined;
  const facts = withDeletedSetsGoing(found);
  return passedBy(facts, targetOf(facts));
}

/** For how long is not known: the cluster autoscaler may have the Nodes. */
export function standsStill(found: ObservedDeployment, now: number): boolean {
  const hold = currentHold(found, now);
  return hold !== undefined && !keepsNodes(hold);
}

function planRollout(
  rollout: Rollout<DeploymentFacts>,
  { now, rules }: { now: number; rules: Rules },
): DeploymentPlan {
  const { facts, target } = rollout;
  const strategy = planStrategy(rollout, canaryLimit(facts, target));
  const hold = holdIn(rollout, now);
  const wave = planWave(facts, target, now);
  const { protectsHeldNodes, heldSince } = rules;
  const standing = protectsHeldNodes ? { now } : { hold, heldSince, now };
  const nodes = planNodes(rollout, standing, strategy.inPlaceStep);
  const isLimited = strategy.limit !== undefined && strategy.sizes.length === 0;
  return {
    steps: [...stepsOf(rollout, strategy), ...(wave ? [wave] : [])],
    ...nodes,
    ...stateOf(rollout, strategy, hold),
    ...earliestOf([
      nodes.until,
      endOf(hold, now),
      ...timesOf(facts),
      ...turningPointsOf(rollout, now),
      isLimited ? asksAgainAt(facts, now) : undefined,
    ]),
    ...overdueReport(rollout),
  };
}

/**
 * A set that is still to be made, or that is gone back to, is not the one that made no progress.
 */
function overdueReport({
  facts,
  target,
}: Rollout<DeploymentFacts>): Pick<DeploymentPlan, 'report'> {
  if (!facts.progress.isOverdue || !target.isOfTemplate || !exists(target)) return {};
  const message = `MachineSet "${target.name}" has timed out progressing.`;
  return { report: { type: 'Warning', reason: 'ProgressDeadlineExceeded', message } };
}

function planStrategy(rollout: Rollout, limit: number | undefined): StrategyPlan {
  switch (rollout.facts.strategy) {
    case 'Recreate':
      return planRecreate(rollout);
    case 'InPlaceUpdate':
      return planInPlace(rollout, limit);
    case 'OnDelete':
      return planOnDelete(rollout);
    case 'RollingUpdate':
      return planRollingUpdate(rollout, limit);
  }
}

function planHeld(
  rollout: Rollout<DeploymentFacts>,
  { hold, now, rules }: { hold: Hold; now: number; rules: Rules },
): DeploymentPlan {
  const { facts, target } = rollout;
  const strategy = strategyOfHeld(rollout, hold, now);
  const { protectsHeldNodes, heldSince } = rules;
  const standing = { hold, heldSince, now };
  const protection = protectsHeldNodes ? {} : planProtection(rollout, standing);
  const { inPlaceStep } = strategy;
  const nodes = inPlaceStep ? { nodeStep: inPlaceStep } : protection;
  const shown = holdIn(rollout, now);
  // A closed policy takes no machine, and the end of a wave takes none.
  const wave = hold.kind === 'policy' ? planWave(facts, target, now) : undefined;
  return {
    steps: [...stepsOf(rollout, strategy), ...(wave ? [wave] : [])],
    ...nodes,
    ...stateOf(rollout, strategy, shown),
    ...earliestOf([
      nodes.until,
      endOf(shown, now),
      rollout.facts.nextScaledAt,
      rollout.facts.repairsAt,
      ...(hold.kind === 'policy' ? turningPointsOf(rollout, now) : []),
    ]),
  };
}

function strategyOfHeld(rollout: Rollout<DeploymentFacts>, hold: Hold, now: number): StrategyPlan {
  const { facts, target } = rollout;
  const isInPlace = facts.strategy === 'InPlaceUpdate';
  const isClosed = closedHold(rollout, now) !== undefined;
  const surge = hold.kind === 'paused' && !isClosed && !isInPlace ? facts.maxSurge : 0;
  const taker = mayNewSetTake(rollout, hold, now) ? target : (keeperOf(rollout) ?? target);
  const filled = hold.kind === 'policy' ? fillUp(rollout) : undefined;
  const scaled = filled ?? scaleHeld(rollout, taker, surge);
  const planned = isInPlace
    ? planInPlaceHeld(rollout, filled ? target : taker, scaled)
    : { sizes: scaled };
  return { ...planned, mayCreate: false, reason: planned.sizes[0]?.reason ?? hold.reason };
}

/**
 * As in MCM v0.62.1 a pause does not keep the new set from scaling, but whatever else holds the
 * rollout does: a canary that a person has yet to inspect, a time that has not come, an option that
 * cannot be parsed. A set that is gone back to is a known one.
 */
function mayNewSetTake(rollout: Rollout, hold: Hold, now: number): boolean {
  const { facts, target } = rollout;
  if (!exists(target)) return false;
  if (!target.isOfTemplate) return true;
  const others = holdOf({ ...facts, isPaused: false }, now) ?? closedHold(rollout, now);
  return hold.kind === 'paused' && !others && canaryLimit(facts, target) === undefined;
}

function directionOf({ action }: DeploymentStep): RolloutState {
  return action === 'rollBack' || action === 'giveUp' ? 'RollingBack' : 'Progressing';
}

/** Why the spec is not followed, as the condition `Progressing` says it. */
export function refusalOf(found: ObservedDeployment): Refusal | undefined {
  const facts = withDeletedSetsGoing(found);
  return faultRefusalOf(facts) ?? givenUpRefusalOf(facts);
}

function faultRefusalOf({ faults }: ObservedDeployment): Refusal | undefined {
  if (faults.length === 0) return undefined;
  const reason = faults.includes(selectsAll) ? 'SelectingAll' : 'InvalidSpec';
  return { reason, message: faults.join('; ') };
}

function givenUpRefusalOf(facts: ObservedDeployment): Refusal | undefined {
  const failed = givenUpIn(facts);
  if (!failed) return undefined;
  const onto = previousOf(facts.sets)?.name ?? 'none';
  const message = `MachineSet "${failed.name}" has timed out progressing; ${rolledBackTo} "${onto}" until the template changes.`;
  return { reason: 'ProgressDeadlineExceeded', message };
}

export interface Refusal {
  reason: string;
  message: string;
}

/** MCM v0.62.1 says it with these words. */
export const selectsAll =
  'This deployment is selecting all machines. A non-empty selector is required.';

function refuse({ reason, message }: Refusal): DeploymentPlan {
  const report = { type: 'Warning', reason, message } as const;
  return { steps: [], state: 'Blocked', reason: message, blockedBy: 'spec', report };
}

function planDeletion({ hasFinalizer, isOrphaning, sets }: DeploymentFacts): DeploymentPlan {
  if (!hasFinalizer) return waitFor('being deleted, finalizer gone');
  if (isOrphaning) return waitFor('being deleted, its sets are let go');
  if (sets.length === 0) return doing({ action: 'release', reason: 'no MachineSet is left' });
  const names = sets.filter(({ isDeleting }) => !isDeleting).map(({ name }) => name);
  if (names.length > 0) return doing({ action: 'deleteSets', names, reason: 'being deleted' });
  return waitFor(`${sets.length} MachineSets are going away`);
}

function waitFor(reason: string): DeploymentPlan {
  return { steps: [], state: 'Progressing', reason };
}

function doing(step: DeploymentStep): DeploymentPlan {
  return { steps: [step], state: 'Progressing', reason: step.reason };
}

/** Some things only time shows: a deadline, or that a machine has run for long enough. */
function timesOf({ progress, nextAvailableAt, nextScaledAt, repairsAt }: DeploymentFacts) {
  return [progress.deadline, nextAvailableAt, nextScaledAt, repairsAt];
}

/** One that has passed, while the write that follows it is refused, is nothing to wait for. */
function endOf(hold: Hold | undefined, now: number): number | undefined {
  return hold?.until !== undefined && hold.until > now ? hold.until : undefined;
}

function earliestOf(times: readonly (number | undefined)[]): { until?: number } {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? {} : { until: Math.min(...known) };
}
