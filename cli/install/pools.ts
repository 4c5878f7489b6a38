/** The tree of an install: deployments, their sets, their machines. */
import type { ObjectMeta } from '../../workflows/api/meta.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Install } from './install.ts';

export interface SetWithMachines {
  set: MachineSet;
  /** The oldest first. */
  machines: readonly Machine[];
}

export interface Pool {
  /** Undefined: sets, or machines, that belong to nothing. */
  deployment: MachineDeployment | undefined;
  /** The latest revision first. */
  sets: readonly SetWithMachines[];
}

export interface Pools {
  pools: readonly (Pool & { deployment: MachineDeployment })[];
  /** Without a MachineDeployment, or with one that is gone. */
  loneSets: readonly SetWithMachines[];
  /** Without a MachineSet. */
  loneMachines: readonly Machine[];
}

/** One pass over each list. */
export function poolsOf({ deployments, sets, machines }: Install): Pools {
  const machinesBySet = groupedByOwner(machines, 'MachineSet');
  const withMachines = sets.map((set) => ({
    set,
    machines: (machinesBySet.get(set.metadata.uid) ?? []).toSorted(byAge),
  }));
  const setsByDeployment = groupedByOwner(
    withMachines.map((one) => ({ ...one, metadata: one.set.metadata })),
    'MachineDeployment',
  );
  const knownSets = uidsOf(sets);
  const knownDeployments = uidsOf(deployments);
  return {
    pools: deployments.map((deployment) => ({
      deployment,
      sets: (setsByDeployment.get(deployment.metadata.uid) ?? []).toSorted(
        (a, b) => revisionOf(b.set) - revisionOf(a.set),
      ),
    })),
    loneSets: withMachines.filter(
      ({ set }) => !knownDeployments.has(ownerUid(set, 'MachineDeployment') ?? ''),
    ),
    loneMachines: machines.filter((one) => !knownSets.has(ownerUid(one, 'MachineSet') ?? '')),
  };
}

const uidsOf = (owners: readonly Owned[]): ReadonlySet<string> =>
  new Set(owners.map(({ metadata }) => metadata.uid));

interface Owned {
  metadata: ObjectMeta;
}

function groupedByOwner<T extends Owned>(objects: readonly T[], kind: string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const object of objects) {
    const uid = ownerUid(object, kind);
    if (uid === undefined) continue;
    const group = groups.get(uid);
    if (group) group.push(object);
    else groups.set(uid, [object]);
  }
  return groups;
}

function ownerUid({ metadata }: Owned, kind: string): string | undefined {
  return metadata.ownerReferences?.find((owner) => owner.kind === kind)?.uid;
}

function byAge(a: Machine, b: Machine): number {
  return (
    a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
    a.metadata.name.localeCompare(b.metadata.name)
  );
}

export function revisionOf({ metadata }: MachineSet): number {
  return Number(metadata.annotations?.[annotations.revision] ?? 0);
}
