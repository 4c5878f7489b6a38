/** The status of a MachineDeployment, as MCM v0.62.1 counts it. */
import type {
  MachineDeployment,
  MachineDeploymentCondition,
  MachineDeploymentStatus,
} from '../../workflows/api/machine-deployment.ts';
import type { MachineSet, MachineSetStatus } from '../../workflows/api/machine-set.ts';
import { unavailableOf } from '../../workflows/plan/fenceposts.ts';
import { canonical } from '../../workflows/plan/template-hash.ts';
import { timestamp } from '../machine/object.ts';

export interface DeploymentView {
  deployment: MachineDeployment;
  sets: readonly MachineSet[];
  newSet: MachineSet | undefined;
  faults: string[];
}

export function statusOf(view: DeploymentView): MachineDeploymentStatus {
  const { deployment, sets, newSet } = view;
  const available = sum(sets, availableOf);
  const wanted = sum(sets, ({ spec }) => spec.replicas);
  const failedMachines = sets.flatMap(({ status }) => status?.failedMachines ?? []);
  const counts = {
    replicas: sum(sets, count('replicas')),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(sets, count('readyReplicas')),
    availableReplicas: available,
    unavailableReplicas: Math.max(wanted - available, 0),
  };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...counts,
    conditions: [availableCondition(view, available), progressingCondition(view, counts)],
    ...(failedMachines.length > 0 && { failedMachines }),
  };
}

/** The patch that makes the stored status equal; undefined when it is already. */
export function statusPatchOf(
  deployment: MachineDeployment,
  status: MachineDeploymentStatus,
): object | undefined {
  const stored = deployment.status ?? {};
  if (canonical(withoutZeros(stored)) === canonical(withoutZeros(status))) return undefined;
  return { ...status, failedMachines: status.failedMachines ?? null };
}

function withoutZeros(status: MachineDeploymentStatus): object {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0));
}

type CountName = 'replicas' | 'readyReplicas' | 'availableReplicas';

const count =
  (name: CountName) =>
  ({ status }: MachineSet): number =>
    (status satisfies MachineSetStatus | undefined)?.[name] ?? 0;

/** A set that has not seen its latest spec may still count machines that are about to go. */
function availableOf({ metadata, spec, status }: MachineSet): number {
  const available = status?.availableReplicas ?? 0;
  const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isCurrent ? available : Math.min(available, spec.replicas ?? 0);
}

function sum(sets: readonly MachineSet[], of: (set: MachineSet) => number | undefined): number {
  return sets.reduce((total, set) => total + (of(set) ?? 0), 0);
}

function availableCondition(
  { deployment }: DeploymentView,
  available: number,
): MachineDeploymentCondition {
  const isEnough = available >= (deployment.spec.replicas ?? 0) - unavailableOf(deployment.spec);
  return condition(deployment, {
    type: 'Available',
    status: isEnough ? 'True' : 'False',
    reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isEnough ? 'has' : 'does not have'} minimum availability.`,
  });
}

interface Counts {
  replicas: number;
  updatedReplicas: number;
  availableReplicas: number;
}

function progressingCondition(
  { deployment, sets, newSet, faults }: DeploymentView,
  { replicas, updatedReplicas, availableReplicas }: Counts,
): MachineDeploymentCondition {
  const type = 'Progressing';
  if (faults.length > 0) {
    const message = faults.join('; ');
    return condition(deployment, { type, status: 'False', reason: 'InvalidSpec', message });
  }
  const wanted = deployment.spec.replicas ?? 0;
  const name = newSet?.metadata.name ?? '';
  if (!newSet) {
    const message =
      sets.length === 0
        ? 'Waits for its machine set.'
        : 'The template was changed, and rollouts are not supported yet: the machines stay as they are.';
    return condition(deployment, { type, status: 'Unknown', reason: 'MachineSetUpdated', message });
  }
  const isComplete = [replicas, updatedReplicas, availableReplicas].every((n) => n === wanted);
  return condition(deployment, {
    type,
    status: 'True',
    reason: isComplete ? 'NewMachineSetAvailable' : 'MachineSetUpdated',
    message: `MachineSet "${name}" ${isComplete ? 'has successfully progressed' : 'is progressing'}.`,
  });
}

interface ConditionText {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

/** Times move only with what they are the times of. */
function condition({ status }: MachineDeployment, text: ConditionText): MachineDeploymentCondition {
  const now = timestamp();
  const known = status?.conditions?.find(({ type }) => type === text.type);
  const isSame = known?.status === text.status && known.reason === text.reason;
  const keepsStatus = known?.status === text.status;
  return {
    ...text,
    lastTransitionTime: (keepsStatus ? known.lastTransitionTime : undefined) ?? now,
    lastUpdateTime: (isSame ? known.lastUpdateTime : undefined) ?? now,
  };
}
