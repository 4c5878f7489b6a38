/** The status of a MachineDeployment, as MCM v0.62.1 counts it. */
import type {
  MachineDeployment,
  MachineDeploymentCondition,
  MachineDeploymentStatus,
} from '../../workflows/api/machine-deployment.ts';
import type { MachineSet, MachineSetCondition } from '../../workflows/api/machine-set.ts';
import type { Period } from '../../workflows/values/pauses.ts';
import { defined } from '../../workflows/values/defined.ts';
import { unavailableOf } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import type { Progress } from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import type {
  ConditionText,
  Counts,
  ProgressFacts,
} from '../../workflows/plan/machine-deployment/rollout/progress.ts';
import {
  progressingOf,
  progressOf,
} from '../../workflows/plan/machine-deployment/rollout/progress.ts';
import { revisionOf } from '../../workflows/plan/machine-deployment/rollout/revisions.ts';
import { canonical } from '../../workflows/values/names.ts';
import { annotations } from '../../workflows/api/constants.ts';
import { unsettledConditions, withoutUnsettled } from '../../workflows/api/kstatus.ts';
import { unsettledDeployment } from '../../workflows/plan/machine-deployment/unsettled.ts';
import { boundedSummaries, manyFailed } from '../machine-set/failed-machines.ts';
import { timeOf, timestamp } from '../../kube/objects/time.ts';
import { isSpecObserved } from '../../kube/objects/generation.ts';

export interface StatusView {
  deployment: MachineDeployment;
  sets: readonly MachineSet[];
  newSet: MachineSet | undefined;
  /** Machines that have been Running for long enough; absent when what the sets say counts. */
  available?: number;
  /** Why the spec cannot be followed. */
  refusal?: { reason: string; message: string };
  /** A write that the API server refused, and that is tried again; all else goes on. */
  refusedWrite?: string;
  /** Why the rollout stands still on purpose. */
  holdReason?: string;
  /** Why nothing can be created or deleted just now. */
  stopped?: string;
  /** Name of the set whose rollout was finished. */
  finished?: string;
  /** When nothing could be done. Default: never. */
  pauses?: readonly Period[];
  now: number;
}

export interface StatusReport {
  status: MachineDeploymentStatus;
  progress: Progress;
}

export function reportOf(view: StatusView): StatusReport {
  const { deployment, sets, now } = view;
  const counts = countsOf(view);
  const facts = progressFactsOf(view, counts);
  const progressing = progressingOf(facts);
  const condition = progressing && write(deployment, { type: 'Progressing', ...progressing }, now);
  const conditions = [
    write(deployment, availableCondition(view, counts), now),
    ...(condition ? [condition] : []),
    ...copiedConditions(view),
    ...refusedCondition(view),
  ];
  const failedMachines = boundedSummaries(
    sets.flatMap(({ status }) => status?.failedMachines ?? []),
  );
  const status: MachineDeploymentStatus = {
    observedGeneration: observedGenerationOf(view),
    ...counts,
    unavailableReplicas: Math.max(sum(sets, 'wanted') - counts.availableReplicas, 0),
    preservedFailedReplicas: sum(sets, 'preservedFailedReplicas'),
    conditions,
    ...(failedMachines.length > 0 && { failedMachines }),
  };
  const written = condition && knownOf(condition);
  const unsettled = unsettledConditionsOf(deployment, status, timestamp(now));
  return {
    status: { ...status, conditions: [...conditions, ...unsettled] },
    progress: progressOf(facts, written),
  };
}

/** For kstatus. `status`: as it will be, without them. */
export function unsettledConditionsOf(
  { metadata, spec, status: stored }: MachineDeployment,
  status: MachineDeploymentStatus,
  time: string,
): MachineDeploymentCondition[] {
  const unsettled = unsettledDeployment({
    isDeleting: metadata.deletionTimestamp !== undefined,
    wanted: spec.replicas ?? 0,
    generation: metadata.generation ?? 0,
    status,
  });
  const known = stored?.conditions;
  return unsettledConditions(unsettled, known, time).map((one) => ({
    ...one,
    // MCM's type has it, and would write it as null.
    lastUpdateTime: one.lastTransitionTime,
  }));
}

/**
 * A rollback that is wished for changes the spec once more: as long as it is not done, the rollout
 * must not be shown as complete.
 */
function observedGenerationOf({ deployment, refusal }: StatusView): number {
  const { metadata, spec, status } = deployment;
  const isPending = spec.rollbackTo !== undefined && !spec.paused && refusal === undefined;
  return (isPending ? status?.observedGeneration : metadata.generation) ?? 0;
}

/** The patch that makes the stored status equal; undefined when it is already. */
export function statusPatchOf(
  { status: stored = {} }: MachineDeployment,
  status: MachineDeploymentStatus,
): object | undefined {
  const { collisionCount: _kept, ...comparable } = stored;
  if (canonical(withoutZeros(comparable)) === canonical(withoutZeros(status))) return undefined;
  return { ...status, failedMachines: status.failedMachines ?? null };
}

function withoutZeros(status: MachineDeploymentStatus): object {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0));
}

function progressFactsOf(view: StatusView, counts: Counts): ProgressFacts {
  const { deployment, newSet, refusal, holdReason, stopped, finished, pauses, now } = view;
  const { spec, status: stored } = deployment;
  const known = stored?.conditions?.find(({ type }) => type === 'Progressing');
  return defined({
    known: known && knownOf(known),
    before: storedCounts(stored),
    counts,
    wanted: spec.replicas ?? 0,
    newSet: newSet && nameOf(newSet, view.sets),
    refusal,
    holdReason,
    stopped,
    finished,
    deadlineSeconds: spec.progressDeadlineSeconds,
    pauses,
    now,
  });
}

function storedCounts({
  replicas = 0,
  updatedReplicas = 0,
  readyReplicas = 0,
  availableReplicas = 0,
}: MachineDeploymentStatus = {}): Counts {
  return { replicas, updatedReplicas, readyReplicas, availableReplicas };
}

/** A set that was made just now has the highest revision, and never had another. */
function nameOf(
  { metadata, spec }: MachineSet,
  sets: readonly MachineSet[],
): ProgressFacts['newSet'] & object {
  const { name, annotations: notes = {} } = metadata;
  const revision = revisionIn(notes);
  const isEarlier = sets.some((set) => revisionIn(set.metadata.annotations) > revision);
  const isFormer = isEarlier || (revision > 0 && annotations.revisionHistory in notes);
  return { name, isFormer, replicas: spec.replicas ?? 0 };
}

function revisionIn(notes: Record<string, string> = {}): number {
  return revisionOf(notes[annotations.revision]);
}

function knownOf(condition: MachineDeploymentCondition): ConditionText & { updatedAt: number } {
  const { status, reason = '', message = '', lastUpdateTime } = condition;
  return { status, reason, message, updatedAt: timeOf(lastUpdateTime) ?? 0 };
}

function countsOf({ sets, newSet, available }: StatusView): Counts {
  return {
    replicas: sum(sets, 'replicas'),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(sets, 'readyReplicas'),
    availableReplicas: available ?? sum(sets, 'available'),
  };
}

type CountName = 'replicas' | 'readyReplicas' | 'preservedFailedReplicas' | 'available' | 'wanted';

function sum(sets: readonly MachineSet[], name: CountName): number {
  return sets.reduce((total, set) => total + countIn(set, name), 0);
}

function countIn(set: MachineSet, name: CountName): number {
  if (name === 'wanted') return set.spec.replicas ?? 0;
  return (name === 'available' ? availableIn(set) : set.status?.[name]) ?? 0;
}

/** A set that has not seen its latest spec may still count machines that are about to go. */
function availableIn(set: MachineSet): number {
  const available = set.status?.availableReplicas ?? 0;
  return isSpecObserved(set) ? available : Math.min(available, set.spec.replicas ?? 0);
}

type TypedText = ConditionText & { type: string; isRenewed?: boolean };

function availableCondition({ deployment, sets }: StatusView, counts: Counts): TypedText {
  const { spec } = deployment;
  const preserved = sum(sets, 'preservedFailedReplicas');
  const floor = Math.max((spec.replicas ?? 0) - unavailableOf(spec) - preserved, 0);
  const isEnough = counts.availableReplicas >= floor;
  return {
    type: 'Available',
    status: isEnough ? 'True' : 'False',
    reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isEnough ? 'has' : 'does not have'} minimum availability.`,
  };
}

/** Conditions about failures of sets, those of the new set first; those that others wrote stay. */
function copiedConditions({ deployment, sets, newSet }: StatusView): MachineDeploymentCondition[] {
  const ours = new Set(['Available', 'Progressing', ...copied]);
  const kept = withoutUnsettled(deployment.status?.conditions).filter(
    ({ type }) => !ours.has(type),
  );
  const said = [...(newSet ? [newSet] : []), ...sets].flatMap(conditionsIn);
  const firsts = copied.flatMap((wanted) => said.find(({ type }) => type === wanted) ?? []);
  return [...kept, ...firsts.map((condition) => ({ ...condition, ...updatedAt(condition) }))];
}

/** Omits it where a set has a condition of its own. */
function refusedCondition(view: StatusView): MachineDeploymentCondition[] {
  const { deployment, refusedWrite: message, sets, now } = view;
  const isSaid = sets.flatMap(conditionsIn).some(({ type }) => type === 'ReplicaFailure');
  if (message === undefined || isSaid) return [];
  const text = { type: 'ReplicaFailure', status: 'True', reason: 'FailedUpdate', message } as const;
  return [write(deployment, text, now)];
}

const copied = ['ReplicaFailure', manyFailed];

function conditionsIn({ status }: MachineSet): MachineSetCondition[] {
  return status?.machineSetCondition ?? [];
}

function updatedAt({ lastTransitionTime }: MachineSetCondition): { lastUpdateTime?: string } {
  return lastTransitionTime === undefined ? {} : { lastUpdateTime: lastTransitionTime };
}

/** Times move only with what they are the times of. */
function write(
  { status }: MachineDeployment,
  { isRenewed, ...text }: TypedText,
  now: number,
): MachineDeploymentCondition {
  const time = timestamp(now);
  const fresh = { ...text, lastTransitionTime: time, lastUpdateTime: time };
  const known = status?.conditions?.find(({ type }) => type === text.type);
  if (known?.status !== text.status) return fresh;
  const since = defined({ lastTransitionTime: known.lastTransitionTime });
  if (known.reason !== text.reason || isRenewed) return { ...fresh, ...since };
  return { ...fresh, ...since, ...defined({ lastUpdateTime: known.lastUpdateTime }) };
}
