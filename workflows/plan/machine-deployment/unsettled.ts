/** kstatus of a MachineDeployment, decided by its spec and status alone. */
import type { Unsettled } from '../../api/kstatus.ts';
import type { MachineDeploymentStatus } from '../../api/machine-deployment.ts';
import type { Condition } from '../../api/meta.ts';
import {
  conditionIn,
  deleting,
  frozen,
  invalid,
  stalledByMachines,
  formatWanted,
} from '../machine-set/unsettled.ts';
import { reconciling, stalled } from '../stall.ts';
import { rolledBackTo } from './rollout/progress.ts';

export interface DeploymentStanding {
  isDeleting: boolean;
  /** `spec.replicas`. */
  wanted: number;
  generation: number;
  status: MachineDeploymentStatus;
}

/** Undefined when the deployment is as wanted. */
export function unsettledDeployment(standing: DeploymentStanding): Unsettled | undefined {
  const { isDeleting, status } = standing;
  const { replicas = 0 } = status;
  if (isDeleting) return deleting(replicas);
  const stall = stalledDeployment(status);
  if (stall) return stall;
  const failure = conditionIn(status.conditions, 'ReplicaFailure') ?? refusedIn(status.conditions);
  if (failure) return reconciling(failure.reason ?? failure.type, failure.message ?? '');
  return isSettled(standing) ? undefined : underWay(standing);
}

function stalledDeployment(status: MachineDeploymentStatus): Unsettled | undefined {
  const { conditions = [], failedMachines } = status;
  const freeze = conditionIn(conditions, 'Frozen');
  if (freeze) return frozen(freeze);
  return stuck(progressIn(conditions)) ?? invalid(conditions) ?? stalledByMachines(failedMachines);
}

/** A set cannot be made, or does not keep what is written to it: that is tried again. */
function refusedIn(conditions: readonly Condition[] = []): Condition | undefined {
  const progress = progressIn(conditions);
  return progress?.reason === 'MachineSetCreateError' ? progress : undefined;
}

/** The rollout is past its deadline, was given up, or cannot begin. */
function stuck(progress: Condition | undefined): Unsettled | undefined {
  if (progress?.status !== 'False') return undefined;
  if (refusedIn([progress])) return undefined;
  const { reason = 'Blocked', message = '' } = progress;
  return stalled(reason, message, helpFor(reason, message));
}

function helpFor(reason: string, message: string): string {
  if (reason !== 'ProgressDeadlineExceeded') return 'Correct the spec';
  const help =
    'See why its machines do not come up (kubectl get machines, status.failedMachines), then correct the template';
  return message.includes(rolledBackTo) ? help : `${help} or set spec.rollbackTo`;
}

/** A preserved machine is kept, so nothing is done for it. */
function isSettled({ wanted, generation, status }: DeploymentStanding): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const usable = availableReplicas + (status.preservedFailedReplicas ?? 0);
  const isSeen = (status.observedGeneration ?? 0) >= generation;
  return isSeen && replicas === wanted && updatedReplicas === wanted && usable >= wanted;
}

/** A rollout that a person or an option holds is not done, and not stuck either. */
function underWay({ wanted, status }: DeploymentStanding): Unsettled {
  const { conditions = [], replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const counts = `${formatWanted(wanted)}: ${availableReplicas} available, ${updatedReplicas} of the present template, ${replicas} in all`;
  const pause = pauseIn(conditions);
  if (pause) return reconciling(pause.reason, `${pause.message}: ${counts}`);
  const isRollout = updatedReplicas < Math.min(replicas, wanted) || replicas > updatedReplicas;
  return reconciling(isRollout ? 'RollingOut' : 'MachinesUnavailable', counts);
}

function pauseIn(
  conditions: readonly Condition[],
): { reason: string; message: string } | undefined {
  const { status, reason, message = '' } = progressIn(conditions) ?? {};
  return status === 'Unknown' && reason === 'DeploymentPaused' ? { reason, message } : undefined;
}

function progressIn(conditions: readonly Condition[]): Condition | undefined {
  return conditions.find(({ type }) => type === 'Progressing');
}
