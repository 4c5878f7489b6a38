/**
 * The promises of a rollout, checked on a simulated cluster before and after each act. They are
 * stated here once more, by hand: a promise that was taken from the planner would be wrong together
 * with it.
 */
import type {
  Batch,
  Cluster,
  SimulatedDeployment,
  SimulatedSet,
} from '../../../../support/simulated-cluster.ts';
import { limitOf } from '../../../../support/simulated-acts.ts';
import { isGoing } from '../../../../support/simulated-cluster.ts';
import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type {
  DeploymentPlan,
  DeploymentStep,
} from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';

/** Machines that there may be: replicas + maxSurge. Only a rolling update has a surge. */
export function ceilingOf({ deployment }: Cluster): number {
  const { replicas } = deployment;
  return replicas === 0 ? 0 : replicas + surgeIn(deployment);
}

/**
 * Machines that must be available as far as the rollout decides: replicas - maxUnavailable.
 * Recreate takes all.
 */
export function floorOf({ deployment }: Cluster): number {
  const { replicas, maxUnavailable, strategy } = deployment;
  if (strategy === 'Recreate') return 0;
  const missing = countOf(maxUnavailable, replicas, Math.floor);
  const isStuck = missing === 0 && surgeIn(deployment) === 0;
  return Math.max(replicas - (isStuck ? 1 : missing), 0);
}

function surgeIn({ strategy, replicas, maxSurge }: SimulatedDeployment): number {
  return strategy === 'RollingUpdate' ? countOf(maxSurge, replicas, Math.ceil) : 0;
}

function countOf(
  value: number | string,
  replicas: number,
  round: (count: number) => number,
): number {
  return typeof value === 'number' ? value : round((Number.parseInt(value, 10) * replicas) / 100);
}

/** Running machines that are left when each set has the size that it is to have. */
export function certainOf(sets: readonly SetFacts[]): number {
  return sets
    .filter(({ isDeleting }) => !isDeleting)
    .map(({ machines, replicas }) => machines.slice(Math.max(machines.length - replicas, 0)))
    .reduce((sum, letters) => sum + letters.replaceAll('U', '').length, 0);
}

/**
 * Machines that there are or will be, when no more is decided. Those that go although their set
 * keeps its size are left out: it makes another at once, as in MCM v0.62.1. So are those of the new
 * set with OnDelete, which is only scaled.
 *
 * @param newSet Of the moment that is compared with this one, in case a new template says by now
 *   that it is another.
 */
export function mostOfAll(cluster: Cluster, newSet: SimulatedSet | undefined): number {
  const scaled = cluster.deployment.strategy === 'OnDelete' ? newSet : undefined;
  return cluster.sets.reduce((sum, set) => sum + mostOfSet(cluster, set, set === scaled), 0);
}

function mostOfSet(cluster: Cluster, set: SimulatedSet, isScaled: boolean): number {
  const { machines, batch, replicas, isDeleting } = set;
  const leaving = machines.filter((machine) => isGoing(machine) && !machine.isReplaced).length;
  const going = isScaled && !isDeleting ? 0 : leaving;
  const present = machines.filter((machine) => !isGoing(machine)).length;
  const left = batch ? leftOf(cluster, set, batch) : 0;
  if (isDeleting) return going + present + left;
  return going + Math.max(replicas, present + left);
}

function leftOf(cluster: Cluster, set: SimulatedSet, batch: Batch): number {
  return Math.max(limitOf(cluster, set, batch) - batch.made, 0);
}

/**
 * What the last batches of sets that were scaled to nothing still make. No rollout waits for a set
 * of size 0 without machines, as nobody may be there to observe its spec; so these come on top.
 */
export function latecomersOf(cluster: Cluster): number {
  return cluster.sets
    .filter(({ replicas, machines }) => replicas === 0 && machines.length === 0)
    .reduce((sum, set) => sum + (set.batch ? leftOf(cluster, set, set.batch) : 0), 0);
}

export function afterSteps(
  sets: readonly SetFacts[],
  steps: readonly DeploymentStep[],
): SetFacts[] {
  return sets.map((set) => {
    const step = steps.findLast((one) => one.action === 'scaleSet' && one.name === set.name);
    return step?.action === 'scaleSet' ? { ...set, replicas: step.replicas } : set;
  });
}

/** Only one set is to have machines: which of them go when fewer are wanted is its own affair. */
export function isOneSet({ sets }: DeploymentFacts): boolean {
  return sets.filter(({ replicas, isDeleting }) => replicas > 0 && !isDeleting).length <= 1;
}

/**
 * Only one set has machines, or, while the rollout stands still, is to have some, or all were
 * scaled to nothing: what happens is scaling, which knows no bounds but the number that is wanted.
 */
export function isScalingOnly(facts: DeploymentFacts, { blockedBy = '' }: DeploymentPlan): boolean {
  const withMachines = facts.sets.filter(
    ({ replicas, machines, going, reported }) =>
      replicas > 0 || machines !== '' || going > 0 || reported > 0,
  );
  const isHeld = ['paused', 'options', 'rolloutAfter'].includes(blockedBy);
  const areEmpty = facts.sets.every(({ replicas, machines }) => replicas === 0 && machines === '');
  const isFromNothing = areEmpty && withMachines.some(({ desired }) => desired === 0);
  return withMachines.length <= 1 || isFromNothing || (isHeld && isOneSet(facts));
}
