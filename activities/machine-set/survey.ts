/** Looks at a MachineSet and its Machines, and reports what it sees in the set's status. */
import type { LifeRef, SetSurveyOutcome, SurveyInput } from '../../workflows/activities.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineSet, MachineSetStatus } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { planAutoPreservation } from '../../workflows/plan/auto-preservation.ts';
import type { SetDemand, SetSurvey } from '../../workflows/plan/machine-set.ts';
import { isOneStepAway } from '../../workflows/plan/machine-set.ts';
import { defined } from '../../workflows/plan/defined.ts';
import type { DeletionFacts } from '../../workflows/plan/set-deletions.ts';
import {
  burst,
  countFailed,
  isPresent,
  machinesToDelete,
} from '../../workflows/plan/set-deletions.ts';
import { templatePush } from '../../workflows/plan/template-push.ts';
import type { KubeClient } from '../kube/client.ts';
import { recordEvent } from '../kube/events.ts';
import { ensureFinalizer } from '../kube/finalizer.ts';
import { customResource } from '../kube/paths.ts';
import type { World } from '../world.ts';
import { component, listOf, setSubject } from './batch-events.ts';
import { demandOf } from './demand.ts';
import { factOf, timeOf } from './facts.ts';
import { membersOf, releaseStrays } from './members.ts';
import type { ReplicaFailure } from './status.ts';
import { statusOf, statusPatchOf } from './status.ts';

export type SurveyWorld = Pick<World, 'control' | 'recent'>;

/**
 * The status that this writes says by `observedGeneration` that the set has seen that spec, and a MachineDeployment takes it as
 * a promise that nothing older is still at work. So the workflow surveys only when no batch of its own runs.
 */
export async function surveyMachineSet(
  world: SurveyWorld,
  input: SurveyInput,
): Promise<SetSurveyOutcome> {
  const { control, recent } = world;
  const { namespace, name } = input.set;
  const path = customResource('machinesets', namespace, name);
  const found = await recent.read<MachineSet>(path, input.atLeast);
  if (!found) return { found: false };
  const set = await ensureFinalizer(control, 'machinesets', found);
  const demand = demandOf(set);
  const request = { set, isFaulty: demand.faults.length > 0 };
  const members = await membersOf(control, request);
  await letGo(control, set, await releaseStrays(control, request, input.strays ?? []));
  const survey = surveyOf(set, { demand, members }, input);
  const failure = failureOf(survey, input.error);
  const isUnreported = isNews(set) && isOneStepAway(survey, input.batchSize);
  const status = statusOf(set, members, failure);
  if (!isUnreported) await reportStatus(world, path, { set, status });
  const { uid, resourceVersion, ownerReferences } = set.metadata;
  const deployment = ownerReferences?.find(({ kind }) => kind === 'MachineDeployment')?.name;
  return {
    found: true,
    uid,
    resourceVersion,
    ...(deployment !== undefined && { machineDeployment: deployment }),
    survey,
    ...(isUnreported && { isUnreported }),
  };
}

function isNews({ metadata, status }: MachineSet): boolean {
  return (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

interface Seen {
  demand: SetDemand;
  members: readonly Machine[];
}

function surveyOf(set: MachineSet, { demand, members }: Seen, input: SurveyInput): SetSurvey {
  const facts = deletionFactsOf(set, { demand, members }, input.now);
  const { nextExpiry, ...failed } = countFailed(facts);
  const toPush = demand.isDeleting ? [] : differing(set, members, input);
  return defined({
    demand,
    total: members.length,
    present: facts.machines.filter(isPresent).length,
    failed,
    toDelete: machinesToDelete(facts),
    autoPreservation: demand.isDeleting
      ? undefined
      : planAutoPreservation(facts.machines, set.spec.autoPreserveFailedMachineMax ?? 0),
    toPush: toPush.length > 0 ? toPush : undefined,
    holdsUntil: nextExpiry,
  });
}

function deletionFactsOf(
  { metadata }: MachineSet,
  { demand, members }: Seen,
  now: number,
): DeletionFacts {
  const notes = metadata.annotations ?? {};
  const granted = notes[annotations.replacements];
  return defined({
    isDeleting: demand.isDeleting,
    replicas: demand.replicas,
    machines: members.map(factOf),
    scaledAt: timeOf(notes[annotations.lastScaledByAutoscaler]),
    replacements:
      granted === undefined ? undefined : new Set(granted.split(',').map((name) => name.trim())),
    now,
  });
}

function differing(
  { metadata, spec }: MachineSet,
  members: readonly Machine[],
  { unpushable }: SurveyInput,
): string[] {
  const template = spec.template?.spec;
  if (!template) return [];
  const isCurrent = unpushable?.generation === metadata.generation;
  const refused = new Set(isCurrent ? unpushable?.names : []);
  return members
    .filter((machine) => templatePush(machine, template) !== undefined)
    .map((machine) => machine.metadata.name)
    .filter((name) => !refused.has(name))
    .slice(0, burst);
}

function failureOf(
  { demand, present }: SetSurvey,
  error: string | undefined,
): ReplicaFailure | undefined {
  const { faults, replicas } = demand;
  if (faults.length > 0) return { reason: 'InvalidSpec', message: faults.join('; ') };
  if (error === undefined || present >= replicas) return undefined;
  return { reason: 'FailedCreate', message: error };
}

/** MCM says nothing here; but who misses a machine in the set's list should find out why. */
async function letGo(control: KubeClient, set: MachineSet, released: string[]): Promise<void> {
  if (released.length === 0) return;
  const { namespace = '', name, uid } = set.metadata;
  const life: LifeRef = { namespace, name, uid };
  await recordEvent(control, setSubject(life), {
    type: 'Normal',
    reason: 'ReleasedMachine',
    message: `Released ${listOf(released)}: the selector does not match any more`,
    component,
  });
}

async function reportStatus(
  { control, recent }: SurveyWorld,
  path: string,
  { set, status }: { set: MachineSet; status: MachineSetStatus },
): Promise<void> {
  const patch = statusPatchOf(set, status);
  if (!patch) return;
  // A look that was held up must not overwrite what a later one reported: it reads again.
  const { uid, resourceVersion } = set.metadata;
  const body = { metadata: { uid, resourceVersion }, status: patch };
  await recent.write(path, () => control.patch<MachineSet>(`${path}/status`, 'merge', body));
}
