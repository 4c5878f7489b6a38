/** Looks at a MachineDeployment and its MachineSets, and reports what it sees in the deployment's status. */
import type { DeploymentSurveyOutcome, ObjectRef } from '../../workflows/activities.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { machineDeploymentFaults } from '../../workflows/api/validation.ts';
import type { OwnedSet } from '../../workflows/plan/machine-deployment.ts';
import { isSameTemplate } from '../../workflows/plan/template-equality.ts';
import { machineSetName, templateHash } from '../../workflows/plan/template-hash.ts';
import type { KubeClient } from '../kube/client.ts';
import { ensureFinalizer, hasFinalizer, isOrphaning } from '../kube/finalizer.ts';
import { orUndefined } from '../kube/optional.ts';
import { customResource } from '../kube/paths.ts';
import { scalingAnnotationsOf } from './new-set.ts';
import { statusOf, statusPatchOf } from './status.ts';

export async function surveyMachineDeployment(
  control: KubeClient,
  { namespace, name }: ObjectRef,
): Promise<DeploymentSurveyOutcome> {
  const path = customResource('machinedeployments', namespace, name);
  const found = await orUndefined(control.get<MachineDeployment>(path));
  if (!found) return { found: false };
  const deployment = await ensureFinalizer(control, 'machinedeployments', found);
  const faults = machineDeploymentFaults(deployment);
  const all = await control.list<MachineSet>(customResource('machinesets', namespace));
  const sets = all.items.filter((set) => isOwnedBy(set, deployment)).toSorted(byAge);
  const owned = sets.map((set) => ownedSetOf(deployment, set));
  await reportStatus(control, path, { deployment, sets, owned, faults });
  return {
    found: true,
    uid: deployment.metadata.uid,
    survey: {
      isDeleting: deployment.metadata.deletionTimestamp !== undefined,
      hasFinalizer: hasFinalizer(deployment),
      isOrphaning: isOrphaning(deployment),
      replicas: deployment.spec.replicas ?? 0,
      faults,
      newSetName: freeNameOf(deployment, all.items),
      sets: owned,
    },
  };
}

function isOwnedBy({ metadata }: MachineSet, deployment: MachineDeployment): boolean {
  const { uid } = deployment.metadata;
  return (
    metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) ??
    false
  );
}

/** Another owner's set may have the name that the template hashes to. */
function freeNameOf(deployment: MachineDeployment, all: readonly MachineSet[]): string {
  const taken = new Set(
    all.filter((set) => !isOwnedBy(set, deployment)).map(({ metadata }) => metadata.name),
  );
  for (let collisions = 0; ; collisions += 1) {
    const hash = templateHash(deployment.spec.template, collisions);
    const name = machineSetName(deployment.metadata.name, hash);
    if (!taken.has(name)) return name;
  }
}

/** Oldest first: of several sets with one template the oldest is the new set, as in MCM v0.62.1. */
function byAge(a: MachineSet, b: MachineSet): number {
  const order = Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp);
  return order || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function ownedSetOf(deployment: MachineDeployment, set: MachineSet): OwnedSet {
  const { name, resourceVersion, deletionTimestamp, annotations: notes = {} } = set.metadata;
  const wanted = Object.entries(scalingAnnotationsOf(deployment));
  return {
    name,
    resourceVersion,
    replicas: set.spec.replicas ?? 0,
    isNew: isSameTemplate(deployment.spec.template, set.spec.template ?? {}),
    isDeleting: deletionTimestamp !== undefined,
    hasFreshAnnotations: wanted.every(([key, value]) => notes[key] === value),
  };
}

interface Report {
  deployment: MachineDeployment;
  sets: MachineSet[];
  owned: OwnedSet[];
  faults: string[];
}

async function reportStatus(
  control: KubeClient,
  path: string,
  { deployment, sets, owned, faults }: Report,
): Promise<void> {
  const newSet = sets[owned.findIndex(({ isNew }) => isNew)];
  const patch = statusPatchOf(deployment, statusOf({ deployment, sets, newSet, faults }));
  const { uid } = deployment.metadata;
  if (patch) {
    await orUndefined(
      control.patch(`${path}/status`, 'merge', { metadata: { uid }, status: patch }),
    );
  }
  const revision = newSet?.metadata.annotations?.[annotations.revision];
  const present = deployment.metadata.annotations?.[annotations.revision];
  if (revision === undefined || revision === present) return;
  const metadata = { uid, annotations: { [annotations.revision]: revision } };
  await orUndefined(control.patch(path, 'merge', { metadata }));
}
