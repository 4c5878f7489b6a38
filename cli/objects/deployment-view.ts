/** A MachineDeployment with its sets and machines, as the planners of rollouts see it. */
import { customResource } from '../../kube/client/paths.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { DeploymentView } from '../../activities/machine-deployment/facts.ts';
import { faultsOf } from '../../activities/machine-deployment/facts.ts';
import {
  byAge,
  newSetAmong,
} from '../../workflows/plan/machine-deployment/rollout/template-set.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { matches } from '../../workflows/api/selector.ts';
import { optionsOf } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { readDeployment } from './read-object.ts';

export interface DeploymentObjects {
  deployment: MachineDeployment;
  /** All of the namespace. */
  sets: readonly MachineSet[];
  /** All of the namespace; absent when they were not read. */
  machines?: readonly Machine[];
}

/** Without machines: what the sets say is enough for that. */
export async function readSetsOf(scope: ClusterScope, name: string): Promise<DeploymentView> {
  const { kube, namespace } = scope;
  const deployment = await readDeployment(scope, name);
  const { items: sets } = await kube.list<MachineSet>(customResource('machinesets', namespace));
  return viewOf({ deployment, sets }, Date.now());
}

export async function readDeploymentView(
  scope: ClusterScope,
  name: string,
): Promise<DeploymentView> {
  const { kube, namespace } = scope;
  const deployment = await readDeployment(scope, name);
  const { items: sets } = await kube.list<MachineSet>(customResource('machinesets', namespace));
  const { items: machines } = await kube.list<Machine>(customResource('machines', namespace));
  return viewOf({ deployment, sets, machines }, Date.now());
}

/** @param now Milliseconds. */
export function viewOf(
  { deployment, sets, machines }: DeploymentObjects,
  now: number,
): DeploymentView {
  const own = sets
    .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid)
    .toSorted(byAge);
  const uids = new Set(own.map(({ metadata }) => metadata.uid));
  const isOwn = (machine: Machine) =>
    uids.has(controllerOf(machine)?.uid ?? '') ||
    matches(deployment.spec.selector, machine.metadata.labels ?? {});
  const options = optionsOf(deployment, Date.parse, now);
  return {
    deployment,
    faults: faultsOf(deployment),
    sets: own,
    takenNames: new Set(sets.map(({ metadata }) => metadata.name)),
    newSet: newSetAmong(deployment, own),
    options,
    ...(machines && { machines: machines.filter(isOwn) }),
    now,
    // Taints and marks of Nodes decide nothing about machines.
    nodes: { hasNodes: false, protects: false },
  };
}
