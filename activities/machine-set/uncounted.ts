/**
 * Machines that a set made and that do not count as its own, whatever others did to their labels,
 * owners or phases. A set that made another in place of each would make them without bound.
 */
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { annotations } from '../../workflows/api/constants.ts';
import { isPresent } from '../../workflows/plan/machine-set/deletions.ts';
import type { UncountedMachines } from '../../workflows/plan/machine-set/plan.ts';
import { isNewName } from '../../workflows/values/names.ts';
import type { MachineLists } from '../runtime/dependencies.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { Members } from './deletions.ts';
import { factOf } from './facts.ts';

const mostNamed = 10;

/** They are searched for where machines are missing; undefined when there are none. */
export async function uncountedOf(
  lists: MachineLists,
  set: MachineSet,
  { desired, members }: Members,
): Promise<UncountedMachines | undefined> {
  const present = new Set(
    members.filter((machine) => isPresent(factOf(machine))).map(({ metadata }) => metadata.uid),
  );
  if (desired.isDeleting || present.size >= desired.replicas) return undefined;
  const all = await lists.select(set.metadata.namespace ?? '');
  const uncounted = all.filter((machine) => isUncounted(set, machine, present));
  if (uncounted.length === 0) return undefined;
  const names = uncounted.map(({ metadata }) => metadata.name).slice(0, mostNamed);
  return { count: uncounted.length, names, surge: surgeOf(set, desired.replicas) };
}

function isUncounted(set: MachineSet, machine: Machine, present: ReadonlySet<string>): boolean {
  const { uid, deletionTimestamp } = machine.metadata;
  if (deletionTimestamp !== undefined || present.has(uid)) return false;
  const controller = controllerOf(machine);
  // It changed hands, as in an update in place.
  const isOfAnother = controller?.kind === 'MachineSet' && controller.uid !== set.metadata.uid;
  return !isOfAnother && isMadeBy(set, machine);
}

/** A set of the same name may have been there before. */
function isMadeBy({ metadata: set }: MachineSet, { metadata }: Machine): boolean {
  if (metadata.ownerReferences?.some(({ uid }) => uid === set.uid)) return true;
  const isYounger = Date.parse(metadata.creationTimestamp) >= Date.parse(set.creationTimestamp);
  return isYounger && isNewName(set.name, metadata.name);
}

/**
 * One at least, so that a person can take a machine out to examine it. The machines of a set
 * without a deployment are all replaced, once: its selector may have been changed.
 */
function surgeOf({ metadata }: MachineSet, replicas: number): number {
  const { annotations: notes = {}, ownerReferences = [] } = metadata;
  if (!ownerReferences.some(({ kind }) => kind === 'MachineDeployment')) return replicas;
  const surge = Number(notes[annotations.maxReplicas]) - Number(notes[annotations.desiredReplicas]);
  return surge >= 1 ? surge : 1;
}
