import type { ObjectMeta } from '../../kube/client/client.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import type {
  MachineDeployment,
  MachineDeploymentSpec,
  MachineDeploymentStatus,
} from '../../workflows/api/machine-deployment.ts';
import type { MachineSet, MachineSummary } from '../../workflows/api/machine-set.ts';
import { asksFromZero } from '../../workflows/api/scale-from-zero.ts';
import { commandIn } from '../../workflows/api/command-verbs.ts';
import { digestOf } from './digest.ts';
import { lifeOf, ownerOf, trimmedMeta } from './metadata.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { MachineDeploymentView, MachineSetView } from './views.ts';
import { surgeOf, unavailableOf } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import { conditionStatesOf } from './condition-states.ts';
import type {
  FailedMachine,
  MachineDeploymentCounts,
  MachineDeploymentFigures,
  MachineSetFigures,
  RolloutState,
} from './figures.ts';

export function viewOfMachineSet(set: MachineSet): MachineSetView {
  const { metadata, spec, status = {} } = set;
  const { replicas, readyReplicas, availableReplicas, fullyLabeledReplicas } = status;
  return {
    ...commonOf(metadata, 'MachineDeployment'),
    countDigest: digestOf(
      [replicas, readyReplicas, availableReplicas, fullyLabeledReplicas],
      [status.observedGeneration, status.failedMachines, status.preservedFailedReplicas],
      [status.machineSetCondition],
      [metadata.generation, metadata.deletionTimestamp, metadata.labels, metadata.ownerReferences],
    ),
    selector: spec.selector,
    replicas: replicas ?? 0,
    className: spec.template?.spec?.class?.name ?? '',
    asksFromZero: false,
    figures: figuresOfMachineSet(set),
  };
}

export function viewOfMachineDeployment(deployment: MachineDeployment): MachineDeploymentView {
  const { metadata, spec, status } = deployment;
  const command = commandIn(metadata.annotations);
  return {
    ...commonOf(metadata, ''),
    // Nothing owns a MachineDeployment.
    countDigest: '',
    selector: spec.selector,
    replicas: status?.replicas ?? 0,
    className: spec.template.spec?.class?.name ?? '',
    ...(command !== undefined && { command }),
    asksFromZero: asksFromZero(metadata.annotations ?? {}),
    figures: figuresOfMachineDeployment(deployment),
  };
}

function commonOf(metadata: ObjectMeta, ownerKind: string) {
  return {
    ...trimmedMeta(metadata),
    generation: metadata.generation ?? 0,
    ...lifeOf(metadata),
    isOrphaning: metadata.finalizers?.includes('orphan') ?? false,
    metadataDigest: digestOf(metadata.labels, relevantAnnotations(metadata.annotations)),
    labels: metadata.labels ?? {},
    owner: ownerOf(metadata, ownerKind),
    isOrphan: controllerOf({ metadata }) === undefined,
  };
}

const ownPrefix = 'deployment.kubernetes.io/';
/** A command goes by a field of its own. */
const ownWay = new Set<string>([annotations.lastAppliedByKubectl, annotations.command]);

/**
 * Without kubectl's copy of the object, and without revisions and counts: those are echoes of our
 * own writes.
 */
function relevantAnnotations(all: Record<string, string> = {}): [string, string][] {
  return Object.entries(all).filter(([key]) => !ownWay.has(key) && !key.startsWith(ownPrefix));
}

function figuresOfMachineSet({ metadata, spec, status = {} }: MachineSet): MachineSetFigures {
  const { apiGroup = '', kind = '', name = '' } = spec.template?.spec?.class ?? {};
  return {
    createdAt: Date.parse(metadata.creationTimestamp),
    replicas: spec.replicas,
    minReadySeconds: spec.minReadySeconds,
    conditions: conditionStatesOf(status.machineSetCondition),
    failedMachines: failedMachinesOf(status.failedMachines),
    classApiGroup: apiGroup,
    classKind: kind,
    className: name,
    status: { ...commonCounts(status), fullyLabeledReplicas: status.fullyLabeledReplicas ?? 0 },
    isFrozen: metadata.labels?.[labels.freeze] === 'True',
  };
}

function figuresOfMachineDeployment(deployment: MachineDeployment): MachineDeploymentFigures {
  const { metadata, spec, status = {} } = deployment;
  return {
    createdAt: Date.parse(metadata.creationTimestamp),
    replicas: spec.replicas,
    minReadySeconds: spec.minReadySeconds,
    conditions: conditionStatesOf(status.conditions),
    failedMachines: failedMachinesOf(status.failedMachines),
    strategy: spec.strategy?.type ?? '',
    isPaused: spec.paused ?? false,
    ...fencepostsOf(spec),
    revisionHistoryLimit: spec.revisionHistoryLimit,
    progressDeadlineSeconds: spec.progressDeadlineSeconds,
    rollbackTo: spec.rollbackTo && (spec.rollbackTo.revision ?? 0),
    status: countsOf(status),
    rollout: rolloutStateOf(deployment),
  };
}

function fencepostsOf(
  spec: MachineDeploymentSpec,
): Pick<MachineDeploymentFigures, 'maxSurge' | 'maxUnavailable'> {
  if (spec.strategy?.type !== 'RollingUpdate')
    return { maxSurge: undefined, maxUnavailable: undefined };
  return { maxSurge: surgeOf(spec), maxUnavailable: unavailableOf(spec) };
}

type CommonCounts = 'replicas' | 'readyReplicas' | 'availableReplicas';

function commonCounts({
  replicas = 0,
  readyReplicas = 0,
  availableReplicas = 0,
}: Partial<Record<CommonCounts, number>>): Record<CommonCounts, number> {
  return { replicas, readyReplicas, availableReplicas };
}

function countsOf(status: MachineDeploymentStatus): MachineDeploymentCounts {
  const { unavailableReplicas = 0, updatedReplicas = 0, collisionCount } = status;
  return { ...commonCounts(status), unavailableReplicas, updatedReplicas, collisionCount };
}

function rolloutStateOf(deployment: MachineDeployment): RolloutState {
  const { spec, status = {} } = deployment;
  const reason = status.conditions?.find(({ type }) => type === 'Progressing')?.reason;
  if (reason === 'ProgressDeadlineExceeded') return 'blocked';
  if (isComplete(deployment, reason)) return 'complete';
  return spec.paused === true || reason === 'DeploymentPaused' ? 'paused' : 'progressing';
}

/** A finished rollout stays finished while machines fail or `replicas` changes. */
function isComplete(
  { metadata, spec, status = {} }: MachineDeployment,
  reason: string | undefined,
): boolean {
  const { observedGeneration = 0 } = status;
  if (observedGeneration < (metadata.generation ?? 0)) return false;
  const { replicas, updatedReplicas, availableReplicas } = countsOf(status);
  if (replicas !== updatedReplicas) return false;
  const isWhole = replicas === availableReplicas && replicas === (spec.replicas ?? 0);
  return isWhole || reason === 'NewMachineSetAvailable';
}

const none: readonly FailedMachine[] = [];

function failedMachinesOf(
  machines: readonly MachineSummary[] | null | undefined,
): readonly FailedMachine[] {
  if (!machines || machines.length === 0) return none;
  return machines.map(({ name = '', providerID = '', ownerRef = '', lastOperation = {} }) => ({
    name,
    providerID,
    ownerRef,
    state: lastOperation.state ?? '',
    type: lastOperation.type ?? '',
  }));
}
