/** What a MachineSet or a MachineDeployment lacks, or has too much. */
import { finalizer, hasFinalizer, isDeleting, isOwnedBy, phaseOf } from '../objects.ts';
import type { JudgedCondition, JudgedObject } from '../objects.ts';
import { isOfTemplate } from '../templates.ts';
import type { Objects } from './end-parts.ts';

/** While one of them holds, kstatus does not take the object for finished. */
export const unsettled = ['Reconciling', 'Stalled'];

export function unmetSet({ machines }: Objects, set: JudgedObject): string[] {
  const own = machines.filter((machine) => isOwnedBy(machine, set));
  const wanted = set.spec?.replicas ?? 0;
  const { status = {} } = set;
  const running = own.filter((machine) => phaseOf(machine) === 'Running').length;
  return [
    ...lifeFaults(set),
    ...countFaults('machines', own.length, wanted),
    ...countFaults('status.replicas', status.replicas ?? 0, own.length),
    ...countFaults('status.readyReplicas', status.readyReplicas ?? 0, running),
    ...countFaults('status.availableReplicas', status.availableReplicas ?? 0, running),
    ...forbidden(status.machineSetCondition, ['ReplicaFailure', 'Frozen']),
    ...forbidden(status.conditions, unsettled),
  ].map((fault) => `MachineSet ${set.metadata.name} ${fault}`);
}

export function unmetDeployment({ machines, sets }: Objects, deployment: JudgedObject): string[] {
  const own = sets.filter((set) => isOwnedBy(set, deployment));
  const all = machines.filter((machine) => own.some((set) => isOwnedBy(machine, set)));
  const wanted = deployment.spec?.replicas ?? 0;
  const { status = {} } = deployment;
  return [
    ...lifeFaults(deployment),
    ...countFaults('machines', all.length, wanted),
    ...countFaults('status.replicas', status.replicas ?? 0, wanted),
    ...countFaults('status.updatedReplicas', status.updatedReplicas ?? 0, wanted),
    ...countFaults('status.readyReplicas', status.readyReplicas ?? 0, wanted),
    ...countFaults('status.availableReplicas', status.availableReplicas ?? 0, wanted),
    ...demanded(status.conditions, 'Available', 'MinimumReplicasAvailable'),
    ...demanded(status.conditions, 'Progressing', 'NewMachineSetAvailable'),
    ...forbidden(status.conditions, ['ReplicaFailure', 'Frozen', ...unsettled]),
  ].map((fault) => `MachineDeployment ${deployment.metadata.name} ${fault}`);
}

/** Sets of other templates are empty, and no more are kept than the limit says. */
export function unmetOldSets({ sets }: Objects, deployment: JudgedObject): string[] {
  const own = sets.filter((set) => isOwnedBy(set, deployment));
  const old = own.filter((set) => !isOfTemplate(set, deployment));
  const limit = deployment.spec?.revisionHistoryLimit ?? Infinity;
  const { name } = deployment.metadata;
  const full = old.filter(({ spec }) => (spec?.replicas ?? 0) > 0);
  return [
    ...full.map(
      (set) => `MachineSet ${set.metadata.name} of an old template of ${name} is not empty`,
    ),
    ...(old.length > limit
      ? [`MachineDeployment ${name} has ${old.length} old sets of ${limit}`]
      : []),
  ];
}

function lifeFaults(object: JudgedObject): string[] {
  const { metadata, status } = object;
  const generation = metadata.generation ?? 0;
  return [
    ...(isDeleting(object) ? ['is still being deleted'] : []),
    ...(hasFinalizer(object, finalizer) ? [] : ['lacks our finalizer']),
    ...countFaults('status.observedGeneration', status?.observedGeneration ?? 0, generation),
  ];
}

function countFaults(what: string, found: number, wanted: number): string[] {
  return found === wanted ? [] : [`has ${what} ${found} instead of ${wanted}`];
}

function demanded(
  conditions: readonly JudgedCondition[] = [],
  type: string,
  reason: string,
): string[] {
  const found = conditions.find((condition) => condition.type === type);
  if (found?.status === 'True' && found.reason === reason) return [];
  return [`has the condition ${type} ${found?.status}, ${found?.reason}`];
}

export function forbidden(
  conditions: readonly JudgedCondition[] = [],
  types: readonly string[],
): string[] {
  return conditions
    .filter(({ type, status }) => types.includes(type) && status === 'True')
    .map(({ type, reason }) => `has the condition ${type}, ${reason}`);
}
