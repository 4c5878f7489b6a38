/** Looks at a MachineSet and its Machines, and reports what it sees in the set's status. */
import type { SetSurveyOutcome, ObjectRef } from '../../workflows/activities.ts';
import { labels } from '../../workflows/api/constants.ts';
import type { MachineSet, MachineSetStatus } from '../../workflows/api/machine-set.ts';
import { machineSetFaults } from '../../workflows/api/validation.ts';
import type { SetDemand } from '../../workflows/plan/machine-set.ts';
import { isPresent, machinesToDelete } from '../../workflows/plan/machine-set.ts';
import type { KubeClient } from '../kube/client.ts';
import { ensureFinalizer, hasFinalizer, isOrphaning } from '../kube/finalizer.ts';
import { orUndefined } from '../kube/optional.ts';
import { customResource } from '../kube/paths.ts';
import { factOf, membersOf } from './members.ts';
import type { ReplicaFailure } from './status.ts';
import { statusOf, statusPatchOf } from './status.ts';

export async function surveyMachineSet(
  control: KubeClient,
  { set: { namespace, name }, error }: { set: ObjectRef; error?: string },
): Promise<SetSurveyOutcome> {
  const path = customResource('machinesets', namespace, name);
  const found = await orUndefined(control.get<MachineSet>(path));
  if (!found) return { found: false };
  const set = await ensureFinalizer(control, 'machinesets', found);
  const faults = machineSetFaults(set);
  const members = await membersOf(control, set, { mayAdopt: faults.length === 0 });
  const facts = members.map(factOf);
  const isMissingSome = facts.filter(isPresent).length < (set.spec.replicas ?? 0);
  const failure = failureOf(faults, isMissingSome ? error : undefined);
  const status = statusOf(set, members, failure);
  await reportStatus(control, path, { set, status });
  const { uid, resourceVersion, ownerReferences } = set.metadata;
  const deployment = ownerReferences?.find(({ kind }) => kind === 'MachineDeployment')?.name;
  const demand = demandOf(set, faults);
  return {
    found: true,
    uid,
    resourceVersion,
    ...(deployment !== undefined && { machineDeployment: deployment }),
    survey: {
      demand,
      total: facts.length,
      present: facts.filter(isPresent).length,
      toDelete: machinesToDelete(demand, facts, Date.now()),
    },
  };
}

function demandOf(set: MachineSet, faults: string[]): SetDemand {
  const { metadata, spec } = set;
  const setLabels = metadata.labels ?? {};
  return {
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer: hasFinalizer(set),
    isOrphaning: isOrphaning(set),
    replicas: spec.replicas ?? 0,
    isFrozen: setLabels[labels.freeze] === 'True' || labels.scaleUpDisabled in setLabels,
    faults,
  };
}

function failureOf(faults: string[], error: string | undefined): ReplicaFailure | undefined {
  if (faults.length > 0) return { reason: 'InvalidSpec', message: faults.join('; ') };
  return error === undefined ? undefined : { reason: 'FailedCreate', message: error };
}

async function reportStatus(
  control: KubeClient,
  path: string,
  { set, status }: { set: MachineSet; status: MachineSetStatus },
): Promise<void> {
  const patch = statusPatchOf(set, status);
  if (!patch) return;
  const { uid } = set.metadata;
  await orUndefined(control.patch(`${path}/status`, 'merge', { metadata: { uid }, status: patch }));
}
