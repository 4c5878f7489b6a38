/** The status of a MachineSet, as MCM v0.62.1 counts it. */
import { annotations, labels } from '../../workflows/api/constants.ts';
import { unsettledConditions, type UnsettledCondition } from '../../workflows/api/kstatus.ts';
import type {
  MachineSet,
  MachineSetCondition,
  MachineSetStatus,
  MachineSummary,
} from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { unsettledSet } from '../../workflows/plan/machine-set/unsettled.ts';
import { canonical } from '../../workflows/values/names.ts';
import { timestamp } from '../../kube/objects/time.ts';
import { boundedSummaries, manyFailedConditions } from './failed-machines.ts';
import { isAvailable } from './facts.ts';
import { controllerOf } from '../../kube/objects/owners.ts';

/** `replicas` counts Terminating machines too; `available` holds those that can bear load. */
export function statusOf(
  set: MachineSet,
  members: readonly Machine[],
  failure: ReplicaFailure | undefined,
): MachineSetStatus {
  const failed = members.filter(isFailed).map(summaryOf);
  const conditions = manyFailedConditions(failed.length, conditionsOf(set, failure));
  const failedMachines = boundedSummaries(failed);
  const counted: MachineSetStatus = {
    replicas: members.length,
    fullyLabeledReplicas: members.filter((machine) => isFullyLabeled(set, machine)).length,
    readyReplicas: members.filter(({ status }) => status?.currentStatus?.phase === 'Running')
      .length,
    availableReplicas: members.filter(isAvailable).length,
    preservedFailedReplicas: members.filter(({ status }) => phaseIsFailedAndPreserved(status))
      .length,
    autoPreserveFailedMachineCount: members.filter(isPreservedAutomatically).length,
    observedGeneration: set.metadata.generation ?? 0,
    ...(failedMachines.length > 0 && { failedMachines }),
    ...(conditions.length > 0 && { machineSetCondition: conditions }),
  };
  const unsettled = unsettledConditionsOf(set, counted);
  return { ...counted, ...(unsettled.length > 0 && { conditions: unsettled }) };
}

/** For kstatus, which reads only this field. `status`: as it will be. */
export function unsettledConditionsOf(
  { metadata, spec, status: stored }: MachineSet,
  status: MachineSetStatus,
): UnsettledCondition[] {
  const unsettled = unsettledSet({
    isDeleting: metadata.deletionTimestamp !== undefined,
    isFrozen: metadata.labels?.[labels.freeze] === 'True',
    wanted: Math.max(spec.replicas ?? 0, 0),
    generation: metadata.generation ?? 0,
    status,
  });
  return unsettledConditions(unsettled, stored?.conditions, timestamp());
}

/** Why the set cannot have the machines that it wants. */
export interface ReplicaFailure {
  reason: 'FailedCreate' | 'FailedDelete' | 'FailedUpdate' | 'InvalidSpec' | 'MachinesNeverJoin';
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

/**
 * The patch that makes the stored status equal; undefined when it is already. `conditions` follow
 * from the rest, so they alone are no reason to write: an API server with MCM's CRD leaves them
 * out, and they would be written for ever.
 */
export function statusPatchOf(set: MachineSet, status: MachineSetStatus): object | undefined {
  const { lastOperation: _time, conditions: _stored, ...stored } = set.status ?? {};
  const { conditions, ...comparable } = status;
  if (canonical(withoutZeros(stored)) === canonical(withoutZeros(comparable))) return undefined;
  return {
    ...status,
    failedMachines: status.failedMachines ?? null,
    machineSetCondition: status.machineSetCondition ?? null,
    conditions: conditions ?? null,
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
