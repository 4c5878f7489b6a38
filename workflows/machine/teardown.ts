/** The teardown of a machine that is being deleted. */
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import type { TeardownStage, StepFailure } from '../plan/machine/facts.ts';
import { drainOptionsOf } from './deadlines.ts';
import { endDrain } from './drain.ts';
import type { MachineState, TeardownState } from './state.ts';
import { instanceOf } from './state.ts';
import { patched } from '@temporalio/workflow';
import type {
  DrainRequest,
  MachineRemoval,
  MachineRemovalOutcome,
} from '../contracts/drain-activities.ts';
import type { HeldDeleteOutcome } from '../contracts/driver-activities.ts';
import type { Pending } from '../contracts/driver-contract.ts';
import type { KubeActivities } from '../contracts/kube-activities.ts';
import { formatHold } from '../plan/machine/hooks.ts';
import { forget } from '../plan/requeues.ts';
import { localFirst, localFirstOnce } from '../runtime/activity-options.ts';
import { defined } from '../values/defined.ts';
import { endCloudFailure } from './credentials.ts';
import { hasNothingMade, noteDeleted, noteDeletionBegun, noteFound } from './creation.ts';
import { drainOutcome, drainRequestOf } from './drain-calls.ts';
import { begunDeletion, deleteOutcome, findOutcome } from './driver-calls.ts';
import { clearFailure, failuresAt, noteFailure } from './failure.ts';
import {
  checkHooks,
  checkHooksSoon,
  isHeldFromDriver,
  knownHoldOf,
  noteDrainBegun,
} from './hooks.ts';
import { endMissing } from './missing-instance.ts';
import { joinedUidOf, ownNodeOf } from './node.ts';
import { markFresh, markGone, markStale, noteProvider, noteSuccessorReported } from './object.ts';
import { setPhase } from './phase.ts';
import { endPreservation } from './preservation.ts';
import { takeRead } from './restore.ts';
import type { StepContext } from './step-context.ts';

/** Begins it as the object is now. */
export function enterTeardown(state: MachineState, machine: PreparedMachine): void {
  state.teardown = newTeardown(state, machine, Date.now());
}

/** The drain that begins now says it on the object. Its timeout counts from the deletion on. */
export function enterTeardownWithDrain(state: MachineState): void {
  const { prepared, observed } = state.object;
  if (!prepared) return;
  const startedAt = observed?.deletionRequestedAt ?? Date.now();
  state.teardown = { ...newTeardown(state, prepared, startedAt), isUnsaid: true };
  setPhase(state, 'Terminating');
}

/** Nothing was done: it begins with a read. */
function withdrawTeardown(state: MachineState): void {
  delete state.teardown;
  endDrain(state);
  setPhase(state, 'Running');
  markStale(state);
}

function noteDrained({ teardown }: MachineState, isForced: boolean): void {
  if (!teardown) return;
  if (teardown.stage === 'draining') teardown.stage = 'deleting';
  if (isForced) teardown.wasForced = true;
}

/** The instance goes with the pods on it. */
export function skipDrain(state: MachineState): void {
  if (!state.teardown) return;
  // The pods are still there, with their volumes.
  noteDrained(state, true);
  if (state.drain) noteDrainBegun(state);
  endDrain(state);
}

/** The cloud has not said that the instance is this machine's. */
function isUnproven({ creation, teardown }: MachineState): boolean {
  const isWordOfObject = !('instance' in creation) || creation.isUnproven === true;
  return isWordOfObject && !teardown?.isProven;
}

/** `mayBeListedLate`: another instance of the same machine; it has a Node as well. */
export function noteInstanceGone(
  { teardown, object }: MachineState,
  mayBeListedLate: boolean,
): void {
  if (!teardown) return;
  if (mayBeListedLate) teardown.stage = object.prepared?.usesTarget ? 'searching' : 'deleting';
  else teardown.stage = 'deleted';
}

function newTeardown(
  state: MachineState,
  machine: PreparedMachine,
  startedAt: number,
): TeardownState {
  const isSkipped = drainOptionsOf(state).isSkipped ?? false;
  const stage = firstStageOf(state, machine);
  return {
    stage: stage === 'draining' && isSkipped ? 'deleting' : stage,
    ...(isSkipped && { wasForced: true }),
    startedAt,
  };
}

function firstStageOf(
  { creation, node }: Pick<MachineState, 'creation' | 'node'>,
  { usesTarget, providerID }: PreparedMachine,
): TeardownStage {
  if (!usesTarget) return 'deleting';
  if ('instance' in creation) {
    const hasNode = !node.isContested && creation.instance.nodeName !== '';
    return hasNode ? 'draining' : 'deleting';
  }
  // Without its name the Node of an instance cannot be drained: the cloud knows it.
  const mayHaveInstance = creation.unsettled !== undefined || providerID !== undefined;
  return mayHaveInstance ? 'searching' : 'deleting';
}

type FinishInput = Parameters<KubeActivities['finishTeardown']>[0];

async function beginTeardown(context: StepContext): Promise<void> {
  const { state, input } = context;
  const request = { machine: context.machine() };
  markFresh(state);
  const { machine, heldBy } = await localFirst(
    (steps) => steps.beginTeardown(request),
    'begin teardown',
  );
  if (!machine) {
    markGone(state);
    return;
  }
  takeRead(state, machine, input.cluster);
  if (!machine.isDeleting || !machine.hasFinalizer) return;
  noteDeletionBegun(state);
  clearFailure(state);
  forget(state.requeues, 'read');
  endPreservation(state);
  endMissing(state);
  enterTeardown(state, machine);
  if (heldBy !== undefined) {
    // Its instance and its Node are those of another Machine.
    state.node.isContested = true;
    noteInstanceGone(state, false);
  }
  setPhase(state, 'Terminating');
}

async function findInstance(context: StepContext): Promise<void> {
  const { state, input } = context;
  if (!state.teardown || !state.object.prepared || !(await knowsProvider(context))) return;
  const outcome = await findOutcome(context.operationCall('Delete'));
  if (outcome.outcome === 'failed' && outcome.failure.wasCancelled) return;
  // Several of one name: a deletion takes those that are of this machine, whichever they are.
  if (outcome.outcome === 'failed' && outcome.failure.code !== 'OutOfRange') {
    noteFailure(state, outcome.failure, 'Delete');
    return;
  }
  await endCloudFailure(state, input.ref.namespace);
  if (outcome.outcome !== 'found') {
    // A delete by the token shows whether the cloud lists it after all.
    state.teardown.stage = 'deleting';
    return;
  }
  noteFound(state, { ...outcome.instance, isFound: true });
  // Now it has a Node to be drained.
  state.teardown = newTeardown(state, state.object.prepared, state.teardown.startedAt);
}

async function drain(context: StepContext): Promise<void> {
  const { state } = context;
  const instance = instanceOf(state);
  if (!instance || !state.object.prepared || !state.teardown) return;
  const options = drainOptionsOf(state);
  if (options.isSkipped) {
    skipDrain(state);
    return;
  }
  const { operation } = context.operationCall('Delete');
  const request = (): DrainRequest =>
    defined({
      ...drainRequestOf(context, instance, 'drain'),
      isUnproven: isUnproven(state) || undefined,
      earlier: state.drain,
      skipsVolumeWait: options.skipsVolumeWait,
      asksHooks: true,
      // A drain that has reported something has said it.
      begins: (state.teardown?.isUnsaid && !state.drain) || undefined,
      removal: removalOf(context),
    });
  const outcome = await drainOutcome({
    summary: `drain ${instance.nodeName}, then remove the machine`,
    request,
    onUntaken: (why) => operation.sayUntaken(why),
  });
  operation.end();
  if (outcome.isNotBegun) {
    withdrawTeardown(state);
    return;
  }
  delete state.teardown.isUnsaid;
  if (outcome.isHeld) {
    delete state.teardown.isDrainBegun;
    endDrain(state);
    checkHooksSoon(state);
    return;
  }
  noteDrainBegun(state);
  noteDrained(state, outcome.isForced);
  endDrain(state);
  if (outcome.removal) await noteRemoval(context, outcome.removal);
}

/**
 * Not where the class could not be read: its driver is not known. Nor while hooks hold the
 * instance: a worker of an earlier version would not ask them.
 */
function removalOf(context: StepContext): MachineRemoval | undefined {
  const { prepared, observed } = context.state.object;
  if (prepared?.provider === undefined || observed?.hooks?.instance) return undefined;
  return { deletion: context.driverRequest(), finish: finishRequestOf(context) };
}

async function noteRemoval(
  context: StepContext,
  { deletion, finish }: MachineRemovalOutcome,
): Promise<void> {
  if (deletion.isHeld) {
    checkHooksSoon(context.state);
    return;
  }
  const outcome = await begunDeletion(context.operationCall('Delete'), deletion);
  if (!outcome) return;
  await noteDeletion(context, outcome);
  if (finish && context.state.teardown?.stage === 'deleted') noteFinish(context, finish.failure);
}

async function deleteInstance(context: StepContext): Promise<void> {
  if (!(await knowsProvider(context)) || (await isHeldFromDriver(context))) return;
  await noteDeletion(context, await deleteOutcome(context.operationCall('Delete')));
}

async function noteDeletion(
  { state, input }: StepContext,
  outcome: Exclude<HeldDeleteOutcome, Pending>,
): Promise<void> {
  if (outcome.isHeld) {
    checkHooksSoon(state);
    return;
  }
  if (outcome.outcome === 'failed') {
    if (!outcome.failure.wasCancelled) noteUndeleted(state, outcome.failure);
    return;
  }
  await endCloudFailure(state, input.ref.namespace);
  // Its tags say whose it is.
  if (outcome.isFound && state.teardown) state.teardown.isProven = true;
  noteInstanceGone(state, noteDeleted(state, outcome));
}

/** An instance that was never made needs neither a class nor credentials to go. */
function noteUndeleted(state: MachineState, failure: StepFailure): void {
  const mayGo = hasNothingMade(state) && patched('deletions-need-no-cloud-for-nothing');
  if (mayGo) noteInstanceGone(state, false);
  else noteFailure(state, failure, 'Delete');
}

async function finishTeardown(context: StepContext): Promise<void> {
  const request = finishRequestOf(context);
  const summary = 'remove Node and finalizer';
  noteFinish(context, await localFirst((steps) => steps.finishTeardown(request), summary));
}

function finishRequestOf(context: StepContext): FinishInput {
  return { ...nodeToRemove(context.state), machine: context.machine() };
}

function noteFinish({ state }: StepContext, failure: StepFailure | undefined): void {
  if (failure) noteFailure(state, failure, 'Delete');
  else if (state.teardown) state.teardown.stage = 'finished';
}

/** About a minute. After a shorter outage of the target cluster the Node would stay there. */
const enoughTries = 5;

function nodeToRemove(state: MachineState): Omit<FinishInput, 'machine'> {
  const { object, teardown } = state;
  const { prepared } = object;
  // The object has the ids of an instance that is gone and was never known to this run.
  const { nodeName, providerID } = instanceOf(state) ?? { ...prepared };
  return defined({
    nodeName: state.node.isContested ? undefined : nodeName,
    nodeUid: knownUidOf(state),
    providerID,
    isUnproven: isUnproven(state) || undefined,
    bootstrapTokenId: prepared?.bootstrapTokenId,
    mustDetachVolumes: teardown?.wasForced,
    mayLeaveNode: mayLeaveNode(state) || undefined,
  });
}

/** UID of a Node that is this machine's without a read. */
function knownUidOf(state: MachineState): string | undefined {
  const node = ownNodeOf(state);
  const joined = joinedUidOf(state);
  if (!node || joined !== undefined) return joined;
  // A Node that may be another machine's has to be read.
  const mustAsk = node.isOfOthers || node.providerID === '' || isUnproven(state);
  return mustAsk ? undefined : node.uid;
}

function mayLeaveNode(state: MachineState): boolean {
  const { prepared } = state.object;
  if (ownNodeOf(state) !== undefined || prepared?.wasNodeSeen) return false;
  // An instance that was there before may have joined as that of another Machine.
  const isFound = instanceOf(state)?.isFound ?? prepared?.providerID !== undefined;
  return !isFound && failuresAt(state, 'nodeDeletion') >= enoughTries;
}

/** Its own run begins when this one ends, which may take as long as a drain. */
async function recordSuccessor({ state, input }: StepContext): Promise<void> {
  const { uid } = state.object.successor ?? {};
  if (uid === undefined) return;
  const machine = { ...input.ref, uid };
  const description = `Waits for the deletion of an earlier Machine of this name: ${stageOf(state)}`;
  const request = { machine, operation: 'Create', description } as const;
  await localFirstOnce(
    (steps) => steps.recordOperation(request),
    'say what the next one waits for',
  );
  noteSuccessorReported(state, uid);
}

function stageOf(state: MachineState): string {
  const hold = knownHoldOf(state);
  if (hold) return formatHold(hold);
  const { nodeName = '', providerID = 'of unknown ID' } = instanceOf(state) ?? {};
  const isDrained = state.teardown?.stage === 'draining';
  return isDrained
    ? `Node ${nodeName} is being drained`
    : `instance ${providerID} is being deleted`;
}

/** The class may have come back since the deletion began. */
async function knowsProvider({ state }: StepContext): Promise<boolean> {
  const { prepared } = state.object;
  if (!prepared || prepared.provider !== undefined) return true;
  const { className } = prepared;
  const summary = `read MachineClass ${className}`;
  const outcome = await localFirst((steps) => steps.findProvider({ className }), summary);
  const { found, ...known } = outcome;
  if ('failure' in known) noteUndeleted(state, known.failure);
  else noteProvider(state, known);
  return found;
}

export const teardownSteps = {
  beginTeardown,
  checkHooks,
  findInstance,
  drain,
  deleteInstance,
  finishTeardown,
  recordSuccessor,
};
