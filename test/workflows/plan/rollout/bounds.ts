/** The two promises of a rolling update, checked on a simulated cluster before and after each act. */
import type { Cluster, SimulatedSet } from '../../../support/simulated-cluster.ts';
import { limitOf } from '../../../support/simulated-acts.ts';
import { isGoing } from '../../../support/simulated-cluster.ts';
import type { DeploymentFacts, SetFacts } from '../../../../workflows/plan/rollout/facts.ts';
import { isActive, runningAt, sumOf } from '../../../../workflows/plan/rollout/facts.ts';
import type { DeploymentStep } from '../../../../workflows/plan/rollout/steps.ts';

/** Running machines that are left when each set has the size that it is to have. */
export function certainOf(sets: readonly SetFacts[]): number {
  return sumOf(sets, (set) => runningAt(set));
}

/**
 * Machines that there are or will be, when no more is decided. Those that go although their set keeps its size are left
 * out: it makes another at once, as in MCM v0.62.1.
 */
export function mostOfAll(cluster: Cluster): number {
  return cluster.sets.reduce((sum, set) => sum + mostOfSet(cluster, set), 0);
}

function mostOfSet(cluster: Cluster, set: SimulatedSet): number {
  const { machines, batch, replicas, isDeleting } = set;
  const going = machines.filter((machine) => isGoing(machine) && !machine.isReplaced).length;
  const present = machines.filter((machine) => !isGoing(machine)).length;
  if (isDeleting) return going + present;
  const left = batch ? Math.max(limitOf(cluster, set, batch) - batch.made, 0) : 0;
  return going + Math.max(replicas, present + left);
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
  return sets.filter(({ replicas }) => replicas > 0).length <= 1;
}

/** Only one set has machines: what happens is scaling, which knows no bounds but the number that is wanted. */
export function isScalingOnly({ sets }: DeploymentFacts): boolean {
  return sets.filter(isActive).length <= 1;
}
