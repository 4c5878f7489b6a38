/** Where the rollouts of the selected deployments are, from the objects alone. */
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { isManual } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import { optionsOf } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import {
  byAge,
  hasMachines,
  newSetAmong,
} from '../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { isSpecObserved } from '../../kube/objects/generation.ts';
import { byController, controllerOf } from '../../kube/objects/owners.ts';
import type { NamespaceObjects } from './going.ts';
import { isGoing, updatesInPlace } from './going.ts';

export interface RollingDeployment {
  deployment: MachineDeployment;
  /** The new set has machines, or an old one has given some up for it. */
  hasBegun: boolean;
  /** Machines of old sets that do not go yet. */
  left: number;
}

/** Those that have machines of another template than theirs. */
export function rollingAmong(
  objects: NamespaceObjects,
  deployments: readonly MachineDeployment[],
): RollingDeployment[] {
  const bySet = byController(objects.machines);
  return deployments.flatMap((deployment) => {
    const { newSet, old } = setsOf(deployment, objects.sets);
    const staying = old.map(
      ({ metadata }) => (bySet.get(metadata.uid) ?? []).filter((one) => !isGoing(one)).length,
    );
    const isActive = old.some(
      (set) => hasMachines(set) || (bySet.get(set.metadata.uid) ?? []).length > 0,
    );
    if (!isActive) return [];
    const kept = old.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
    const hasGiven = kept < (deployment.spec.replicas ?? 0);
    const hasBegun = newSet !== undefined && (hasMachines(newSet) || hasGiven);
    return [{ deployment, hasBegun, left: staying.reduce((sum, count) => sum + count, 0) }];
  });
}

/** All its machines are of its template, available and none goes: what the status says, checked. */
export function isComplete(objects: NamespaceObjects, deployment: MachineDeployment): boolean {
  const { spec, status = {} } = deployment;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const wanted = Math.max(spec.replicas ?? 0, 0);
  return (
    isSpecObserved(deployment) &&
    updatedReplicas === replicas &&
    availableReplicas >= wanted &&
    rollingAmong(objects, [deployment]).length === 0
  );
}

/** It would take its next machine now if it might: no hold of its own keeps it. */
export function isReady(deployment: MachineDeployment, now: number): boolean {
  const { metadata, spec } = deployment;
  const { faults, rolloutAfter, onDelete } = optionsOf(deployment, Date.parse, now);
  const isOfPeople = updatesInPlace(deployment) ? isManual(spec.strategy) : onDelete;
  const isHeld = spec.paused === true || faults.length > 0 || (rolloutAfter?.at ?? 0) > now;
  return !isOfPeople && !isHeld && metadata.deletionTimestamp === undefined;
}

/** A set that is being deleted needs no rollout. */
function setsOf(
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
): { newSet: MachineSet | undefined; old: MachineSet[] } {
  const own = sets
    .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid)
    .filter((set) => set.metadata.deletionTimestamp === undefined)
    .toSorted(byAge);
  const newSet = newSetAmong(deployment, own);
  return { newSet, old: own.filter((set) => set !== newSet) };
}
