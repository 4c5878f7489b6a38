/** kstatus of a MachineSet, decided by its spec, label and status alone. */
import type { Unsettled } from '../../api/kstatus.ts';
import type { MachineSetStatus, MachineSummary } from '../../api/machine-set.ts';
import type { Condition } from '../../api/meta.ts';
import { reasons, reconciling, stalled, stallOf } from '../stall.ts';

export interface SetStanding {
  isDeleting: boolean;
  /** Label `freeze`: no machine is created. */
  isFrozen: boolean;
  /** `spec.replicas`. */
  wanted: number;
  generation: number;
  status: MachineSetStatus;
}

/** Undefined when the set is as wanted. A preserved machine is kept, so nothing is done for it. */
export function unsettledSet(standing: SetStanding): Unsettled | undefined {
  const { isDeleting, wanted, status } = standing;
  const { replicas = 0 } = status;
  if (isDeleting) return deleting(replicas);
  const stall = stalledSet(standing);
  if (stall) return stall;
  const failure = conditionIn(status.machineSetCondition, 'ReplicaFailure');
  if (failure) return reconciling(failure.reason ?? 'ReplicaFailure', failure.message ?? '');
  if (isSettled(standing)) return undefined;
  const { availableReplicas = 0 } = status;
  const words = `${formatWanted(wanted)}: ${availableReplicas} available, ${replicas} in all`;
  return reconciling(replicas > wanted ? 'ScalingDown' : 'MachinesUnavailable', words);
}

export function deleting(count: number): Unsettled {
  const machines = count === 1 ? '1 machine is' : `${count} machines are`;
  return reconciling('Deleting', `It is deleted once its ${machines}`);
}

/** Alone, since more than these may be available. */
export function formatWanted(count: number): string {
  return count === 1 ? '1 machine is wanted' : `${count} machines are wanted`;
}

function stalledSet({ isFrozen, status }: SetStanding): Unsettled | undefined {
  const { machineSetCondition = [], failedMachines } = status;
  const freeze = conditionIn(machineSetCondition, 'Frozen');
  if (isFrozen || freeze) return frozen(freeze);
  return invalid(machineSetCondition) ?? stalledByMachines(failedMachines);
}

function isSettled({ wanted, generation, status }: SetStanding): boolean {
  const { replicas = 0, availableReplicas = 0, preservedFailedReplicas = 0 } = status;
  const isSeen = (status.observedGeneration ?? 0) >= generation;
  return isSeen && replicas === wanted && availableReplicas + preservedFailedReplicas >= wanted;
}

export function conditionIn(
  conditions: readonly Condition[] = [],
  wanted: string,
): Condition | undefined {
  return conditions.find(({ type, status }) => type === wanted && status === 'True');
}

export function frozen(freeze: Condition | undefined): Unsettled {
  const help =
    'No machine is created until there are fewer; the annotation safety.machine.sapcloud.io/unfreeze=True releases it at once';
  return stalled('Frozen', freeze?.message ?? 'It has the label freeze=True', help);
}

/** All other refusals are tried again by themselves. */
export function invalid(conditions: readonly Condition[]): Unsettled | undefined {
  const failure = conditionIn(conditions, 'ReplicaFailure');
  if (failure?.reason !== reasons.spec) return undefined;
  return stalled(reasons.spec, failure.message ?? '', 'Correct the spec');
}

/** The first by name that needs help, so that the reason does not change with their order. */
export function stalledByMachines(
  machines: readonly MachineSummary[] | null | undefined,
): Unsettled | undefined {
  const found = (machines ?? []).flatMap(({ name = '', lastOperation = {} }) => {
    const stall = stallOf(lastOperation);
    return stall ? [{ name, stall, description: lastOperation.description ?? '' }] : [];
  });
  const [first] = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (!first) return undefined;
  const more = found.length > 1 ? ` and ${found.length - 1} more` : '';
  const words = `Machine ${first.name}${more}: ${first.description}`;
  return stalled(first.stall.reason, words, first.stall.help);
}
