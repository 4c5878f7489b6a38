/** Reads a MachineSet and its Machines, and reports what it sees in the set's status. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type {
  ObservedSetOutcome,
  ObserveSetInput,
} from '../../workflows/contracts/machine-set-activities.ts';
import type { MachineSet, MachineSetStatus } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import {
  churnText,
  isChurning,
  isOver,
  unjoinedAmong,
  type Churn,
} from '../../workflows/plan/machine-set/churn.ts';
import { planAutoPreservation } from '../../workflows/plan/machine-set/auto-preservation.ts';
import {
  isAtRest,
  isOneStepAway,
  refusedForUncounted,
  type DesiredMachines,
  type ObservedMachineSet,
  type UncountedMachines,
} from '../../workflows/plan/machine-set/plan.ts';
import { defined } from '../../workflows/values/defined.ts';
import {
  burst,
  countFailed,
  isPresent,
  machinesToDelete,
} from '../../workflows/plan/machine-set/deletions.ts';
import { templatePush } from '../../workflows/plan/machine-set/template-push.ts';
import type { KubeClient, OwnerReference } from '../../kube/client/client.ts';
import { isRejected } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { ensureFinalizer } from '../../kube/objects/finalizers.ts';
import { customResource } from '../../kube/client/paths.ts';
import { isSpecObserved } from '../../kube/objects/generation.ts';
import type { ActivityDependencies, MachineLists } from '../runtime/dependencies.ts';
import { component, listOf, setSubject } from './batch-events.ts';
import { deletionFactsOf, type Members } from './deletions.ts';
import { factOf, isAvailable } from './facts.ts';
import { desiredMachinesOf } from './desired.ts';
import { claimedAmong, membersOf, releaseUnmatched, selectorOf } from './members.ts';
import { referToNodes } from './node-refs.ts';
import { RefusedWrites } from './refused-writes.ts';
import { statusOf, statusPatchOf, type ReplicaFailure } from './status.ts';
import { annotations } from '../../workflows/api/constants.ts';
import { isNewName } from '../../workflows/values/names.ts';
import { controllerOf } from '../../kube/objects/owners.ts';

export type ObserveDependencies = Pick<
  ActivityDependencies,
  'control' | 'recent' | 'machines' | 'memory'
>;

/**
 * The status that this writes says by `observedGeneration` that the set has seen that spec, and a
 * MachineDeployment takes it as a promise that nothing older is still at work. So the workflow
 * reads only when no batch of its own runs.
 */
export async function observeMachineSet(
  dependencies: ObserveDependencies,
  input: ObserveSetInput,
): Promise<ObservedSetOutcome> {
  const { control, recent } = dependencies;
  const { namespace, name } = input.set;
  const path = customResource('machinesets', namespace, name);
  const found = await recent.read<MachineSet>(path, input.atLeast);
  if (!found) return { found: false };
  const set = await ensureFinalizer(control, 'machinesets', found);
  const desired = desiredMachinesOf(set);
  const refused = new RefusedWrites('FailedUpdate');
  const passOver = new Set(input.passOver);
  const request = { set, isFaulty: desired.faults.length > 0, refused, passOver };
  const members =
    (await membersAtRest(dependencies, { set, desired }, input)) ??
    (await membersOf(dependencies, request));
  await unpreserve(control, set, await releaseUnmatched(control, request, input.unmatched ?? []));
  refused.report(control, { namespace, name, uid: set.metadata.uid }, 'adopting or letting go');
  await referToNodes(dependencies, set, members);
  const uncounted = await uncountedOf(dependencies.machines, set, { desired, members });
  const observation = defined({ ...observationOf(set, { desired, members }, input), uncounted });
  reportHold(control, set, { observation, churn: input.churn });
  const refusal = refused.outcome ?? input.refusal;
  const failure = failureOf(observation, { ...input, ...(refusal && { refusal }) });
  const isUnreported = !isSpecObserved(set) && isOneStepAway(observation, input.batchSize);
  const view = { set, status: statusOf(set, members, failure) };
  const isStored = isUnreported || (await reportStatus(dependencies, path, view));
  const { uid, resourceVersion, ownerReferences } = set.metadata;
  return defined({
    found: true as const,
    uid,
    resourceVersion,
    machineDeployment: deploymentOf(ownerReferences),
    observation: withNextRead(observation, input.now, isStored),
    isUnreported: isUnreported ? (true as const) : undefined,
    refused: refused.outcome,
  });
}

/**
 * Undefined unless the copy has the change that was signalled last and the set has nothing to do.
 * An action needs a consistent read, which has what was not signalled yet; counts are written again
 * when that is signalled.
 */
async function membersAtRest(
  { machines }: ObserveDependencies,
  { set, desired }: { set: MachineSet; desired: DesiredMachines },
  input: ObserveSetInput,
): Promise<readonly Machine[] | undefined> {
  const { machinesAtLeast, unmatched = [], now } = input;
  if (machinesAtLeast === undefined || unmatched.length > 0 || !isSpecObserved(set)) {
    return undefined;
  }
  const request = { set, isFaulty: desired.faults.length > 0 };
  const { namespace = '' } = set.metadata;
  const known = await machines.selectKnown(namespace, selectorOf(request), machinesAtLeast);
  if (!known) return undefined;
  const { members, orphans } = claimedAmong(known, request);
  if (orphans.length > 0) return undefined;
  return isAtRest(observationOf(set, { desired, members }, input), now) ? members : undefined;
}

function deploymentOf(owners: OwnerReference[] = []): string | undefined {
  return owners.find(({ kind }) => kind === 'MachineDeployment')?.name;
}

function observationOf(
  set: MachineSet,
  { desired, members }: Members,
  input: ObserveSetInput,
): ObservedMachineSet {
  const { now } = input;
  const { churn, isChurnOver } = churnOf({ desired, members }, input);
  const free = deletionFactsOf(set, { desired, members }, now);
  const unjoined = unjoinedAmong(free.machines, { churn, now });
  const facts = { ...free, held: new Set(unjoined.held) };
  const { nextExpiry, ...failed } = countFailed(facts);
  const times = [nextExpiry, unjoined.nextAt].filter((time) => time !== undefined);
  const passOver = new Set(input.passOver);
  const present = facts.machines.filter(isPresent).length;
  const isShrinking = desired.isDeleting || present > desired.replicas;
  const toPush = desired.isDeleting ? [] : differing(set, members, input);
  return defined({
    desired,
    total: members.length,
    present,
    failed,
    toDelete: machinesToDelete(facts, passOver),
    autoPreservation: desired.isDeleting
      ? undefined
      : planAutoPreservation(facts.machines, {
          max: set.spec.autoPreserveFailedMachineMax ?? 0,
          passOver,
        }),
    toPush: someOf(toPush),
    unjoined: someOf(isShrinking ? [] : unjoined.free),
    isChurnOver,
    holdsUntil: times.toSorted((a, b) => a - b)[0],
  });
}

function someOf(names: string[]): string[] | undefined {
  return names.length === 0 ? undefined : names;
}

function churnOf(
  { desired, members }: Members,
  { churn }: ObserveSetInput,
): { churn?: Churn; isChurnOver?: true } {
  if (!churn) return {};
  const createdAt = members.filter(isAvailable).map((machine) => factOf(machine).createdAt);
  return isOver(churn, { createdAt, wanted: desired.replicas }) ? { isChurnOver: true } : { churn };
}

function differing(
  { metadata, spec }: MachineSet,
  members: readonly Machine[],
  { unpushable, passOver = [] }: ObserveSetInput,
): string[] {
  const template = spec.template?.spec;
  if (!template) return [];
  const isCurrent = unpushable?.generation === metadata.generation;
  const refused = new Set([...passOver, ...(isCurrent ? (unpushable?.names ?? []) : [])]);
  return members
    .filter((machine) => templatePush(machine, template) !== undefined)
    .map((machine) => machine.metadata.name)
    .filter((name) => !refused.has(name))
    .slice(0, burst);
}

function failureOf(
  observation: ObservedMachineSet,
  { error, refusal, churn }: Pick<ObserveSetInput, 'error' | 'refusal' | 'churn'>,
): ReplicaFailure | undefined {
  const { desired, present } = observation;
  const { faults, isDeleting, replicas } = desired;
  if (faults.length > 0) return { reason: 'InvalidSpec', message: faults.join('; ') };
  const isShort = present < replicas && !isDeleting;
  const message = refusedForUncounted(observation) ?? (isShort ? error : undefined);
  if (message !== undefined) return { reason: 'FailedCreate', message };
  const never = observation.isChurnOver ? undefined : churnFailure(churn);
  if (never) return never;
  return refusal && { reason: refusal.reason, message: refusal.message };
}

/** MCM says nothing here; but who misses a machine in the set's list should find out why. */
async function unpreserve(control: KubeClient, set: MachineSet, released: string[]): Promise<void> {
  if (released.length === 0) return;
  const { namespace = '', name, uid } = set.metadata;
  const life: ObjectReference = { namespace, name, uid };
  recordEvent(control, setSubject(life), {
    type: 'Normal',
    reason: 'ReleasedMachine',
    message: `Released ${listOf(released)}: the selector does not match any more`,
    component,
  });
}

/**
 * False when the API server refuses it: the set acts all the same. Its status of an earlier
 * generation stays, so a MachineDeployment goes on waiting for this one.
 */
async function reportStatus(
  { control, recent }: ObserveDependencies,
  path: string,
  { set, status }: { set: MachineSet; status: MachineSetStatus },
): Promise<boolean> {
  const patch = statusPatchOf(set, status);
  if (!patch) return true;
  // A read that was held up must not overwrite what a later one reported: it reads again.
  const { uid, resourceVersion } = set.metadata;
  const body = { metadata: { uid, resourceVersion }, status: patch };
  try {
    await recent.write(path, () => control.patch<MachineSet>(`${path}/status`, 'merge', body));
    return true;
  } catch (error) {
    if (!isRejected(error)) throw error;
    const { namespace = '', name } = set.metadata;
    const message = `Error writing the status: ${error.message}`;
    const text = { type: 'Warning', reason: 'FailedStatusUpdate', component } as const;
    recordEvent(control, setSubject({ namespace, name, uid }), { ...text, message });
    return false;
  }
}

/** A status that was refused is tried again then, although nothing else may be to do. */
const statusRetryMs = 30_000;
/** That one is deleted is no change of its set, and is not signalled. */
const uncountedRetryMs = 120_000;

function withNextRead(
  observation: ObservedMachineSet,
  now: number,
  isStored: boolean,
): ObservedMachineSet {
  const uncountedAt =
    refusedForUncounted(observation) === undefined ? Infinity : now + uncountedRetryMs;
  const statusAt = isStored ? Infinity : now + statusRetryMs;
  const holdsUntil = Math.min(observation.holdsUntil ?? Infinity, uncountedAt, statusAt);
  return holdsUntil === Infinity ? observation : { ...observation, holdsUntil };
}

function churnFailure(churn: Churn | undefined): ReplicaFailure | undefined {
  return isChurning(churn) ? { reason: 'MachinesNeverJoin', message: churnText(churn) } : undefined;
}

/** Why the set makes or replaces fewer than it could. */
function reportHold(
  control: KubeClient,
  { metadata }: MachineSet,
  { observation, churn }: { observation: ObservedMachineSet; churn: Churn | undefined },
): void {
  const message = refusedForUncounted(observation);
  const failure: ReplicaFailure | undefined =
    message === undefined
      ? churnFailure(observation.failed.held > 0 ? churn : undefined)
      : { reason: 'FailedCreate', message: `Error creating: ${message}` };
  if (!failure) return;
  const { namespace = '', name, uid } = metadata;
  recordEvent(control, setSubject({ namespace, name, uid }), {
    type: 'Warning',
    ...failure,
    component,
  });
}

const mostNamed = 10;

/**
 * Machines that a set made and that do not count as its own, because others changed their labels,
 * owners or phases. A set that made another in place of each would make them without bound. They
 * are searched for where machines are missing; undefined when there are none.
 */
async function uncountedOf(
  lists: MachineLists,
  set: MachineSet,
  { desired, members }: Members,
): Promise<UncountedMachines | undefined> {
  const present = new Set(
    members.filter((machine) => isPresent(factOf(machine))).map(({ metadata }) => metadata.uid),
  );
  if (desired.isDeleting || present.size >= desired.replicas) return undefined;
  const all = await lists.select(set.metadata.namespace ?? '');
  const uncounted = all.filter((machine) => isUncounted(set, machine, present));
  if (uncounted.length === 0) return undefined;
  const names = uncounted.map(({ metadata }) => metadata.name).slice(0, mostNamed);
  return { count: uncounted.length, names, surge: surgeOf(set, desired.replicas) };
}

function isUncounted(set: MachineSet, machine: Machine, present: ReadonlySet<string>): boolean {
  const { uid, deletionTimestamp } = machine.metadata;
  if (deletionTimestamp !== undefined || present.has(uid)) return false;
  const controller = controllerOf(machine);
  // It changed hands, as in an update in place.
  const isOfAnother = controller?.kind === 'MachineSet' && controller.uid !== set.metadata.uid;
  return !isOfAnother && isMadeBy(set, machine);
}

/** A set of the same name may have been there before. */
function isMadeBy({ metadata: set }: MachineSet, { metadata }: Machine): boolean {
  if (metadata.ownerReferences?.some(({ uid }) => uid === set.uid)) return true;
  const isYounger = Date.parse(metadata.creationTimestamp) >= Date.parse(set.creationTimestamp);
  return isYounger && isNewName(set.name, metadata.name);
}

/**
 * One at least, so that a person can take a machine out to examine it. The machines of a set
 * without a deployment are all replaced, once: its selector may have been changed.
 */
function surgeOf({ metadata }: MachineSet, replicas: number): number {
  const { annotations: notes = {}, ownerReferences = [] } = metadata;
  if (!ownerReferences.some(({ kind }) => kind === 'MachineDeployment')) return replicas;
  const surge = Number(notes[annotations.maxReplicas]) - Number(notes[annotations.desiredReplicas]);
  return surge >= 1 ? surge : 1;
}
