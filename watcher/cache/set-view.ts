import type { ObjectMeta } from '../../kube/client/client.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { asksFromZero } from '../../workflows/api/scale-from-zero.ts';
import { commandIn } from '../../workflows/api/command-verbs.ts';
import { digestOf } from './digest.ts';
import { lifeOf, ownerOf, trimmedMeta } from './metadata.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { figuresOfMachineDeployment, figuresOfMachineSet } from './set-figures.ts';
import type { MachineDeploymentView, MachineSetView } from './views.ts';

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
