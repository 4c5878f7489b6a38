/** The status of a MachineSet, as MCM v0.62.1 counts it. */
import { annotations } from '../../workflows/api/constants.ts';
import type {
  MachineSet,
  MachineSetCondition,
  MachineSetStatus,
  MachineSummary,
} from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { canonical } from '../../workflows/values/template-hash.ts';
import { timestamp } from '../kube/objects/time.ts';
import { boundedSummaries, manyFailedConditions } from './failed-machines.ts';
import { isAvailable } from './facts.ts';
import { controllerOf } from '../kube/objects/owners.ts';

/** `replicas` counts Terminating machines too; `available` holds those that can bear load. */
export function statusOf(
  set: MachineSet,
  members: readonly Machine[],
  failure: ReplicaFailure | undefined,
): MachineSetStatus {
  const failed = members.filter(isFailed).map(summaryOf);
  const conditions = manyFailedConditions(failed.length, conditionsOf(set, failure));
  const failedMachines = boundedSummaries(failed);
  return {
    replicas: members.length,
    fullyLabeledReplicas: members.filter((machine) => isFullyLabeled(set, machine)).length,
    readyReplicas: members.filter((machine) => phaseOf(machine) === 'Running').length,
    availableReplicas: members.filter(isAvailable).length,
    preservedFailedReplicas: members.filter(({ status }) => phaseIsFailedAndPreserved(status))
      .length,
    autoPreserveFailedMachineCount: members.filter(isPreservedAutomatically).length,
    observedGeneration: set.metadata.generation ?? 0,
    ...(failedMachines.length > 0 && { failedMachines }),
    ...(conditions.length > 0 && { machineSetCondition: conditions }),
  };
}

/** Why the set cannot have the machines that it wants. */
export interface ReplicaFailure {
  reason: 'FailedCreate' | 'FailedDelete' | 'FailedUpdate' | 'InvalidSpec';
  message: string;
}

/** As in MCM v0.62.1, a condition with the same status and reason keeps its time. */
function conditionsOf(set: MachineSet, failure: ReplicaFailure | undefined): MachineSetCondition[] {
  const present = set.status?.machineSetCondition ?? [];
  const others = present.filter(({ type }) => type !== 'ReplicaFailure');
  if (!failure) return others;
  const known = present.find(
    ({ type, reason }) => type === 'ReplicaFailure' && reason === failure.reason,
  );
  const lastTransitionTime = known?.lastTransitionTime ?? timestamp();
  return [...others, { type: 'ReplicaFailure', status: 'True', ...failure, lastTransitionTime }];
}

/** The patch that makes the stored status equal; undefined when it is already. */
export function statusPatchOf(set: MachineSet, status: MachineSetStatus): object | undefined {
  const { lastOperation: _time, ...stored } = set.status ?? {};
  if (canonical(withoutZeros(stored)) === canonical(withoutZeros(status))) return undefined;
  return {
    ...status,
    failedMachines: status.failedMachines ?? null,
    machineSetCondition: status.machineSetCondition ?? null,
    lastOperation: { lastUpdateTime: timestamp() },
  };
}

/** MCM leaves zeros out. */
function withoutZeros(status: MachineSetStatus): object {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0));
}

function isFullyLabeled(set: MachineSet, { metadata }: Machine): boolean {
  const wanted = set.spec.template?.metadata?.labels ?? {};
  return Object.entries(wanted).every(([key, value]) => metadata.labels?.[key] === value);
}

function phaseOf({ status }: Machine): string {
  return status?.currentStatus?.phase ?? '';
}

function isFailed({ status }: Machine): boolean {
  const isPreserved = phaseIsFailedAndPreserved(status);
  return status?.lastOperation?.state === 'Failed' && !isPreserved;
}

function isPreservedAutomatically({ metadata }: Machine): boolean {
  return metadata.annotations?.[annotations.preserve] === 'auto-preserved';
}

function phaseIsFailedAndPreserved(status: Machine['status']): boolean {
  const { phase, preserveExpiryTime } = status?.currentStatus ?? {};
  return phase === 'Failed' && (preserveExpiryTime ?? '') !== '';
}

function summaryOf(machine: Machine): MachineSummary {
  const { metadata, spec, status } = machine;
  return {
    name: metadata.name,
    ...(spec.providerID !== undefined && { providerID: spec.providerID }),
    ...(status?.lastOperation && { lastOperation: status.lastOperation }),
    ownerRef: controllerOf(machine)?.name ?? '',
  };
}
