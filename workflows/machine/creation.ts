/** The instance: from the first create to its ids on the object. */
import { patched } from '@temporalio/workflow';
import type { CreatedInstance, DeleteOutcome } from '../contracts/driver-contract.ts';
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import type { MachinePhase } from '../api/phases.ts';
import { hasJoined } from '../api/phases.ts';
import type { MachineFailure } from '../plan/machine/facts.ts';
import { followsFailedRun } from '../runtime/continue-as-new.ts';
import { ownNodeOf } from './node.ts';
import type { CreationStage, CreationState, MachineState } from './state.ts';
import { instanceOf } from './state.ts';

export function noteCreateSent(state: MachineState): void {
  if (state.creation.stage === 'none') enter(state, { stage: 'sent' });
}

/** The cloud was not asked after all. */
export function noteCreateUnsent(state: MachineState): void {
  enter(state, { stage: 'none' });
}

/** The cloud has answered with the instance. */
export function noteCreated(state: MachineState, instance: CreatedInstance): void {
  delete state.creation.unsettled;
  enter(state, { stage: 'made', instance });
}

type CreateFailure = Pick<MachineFailure, 'code' | 'isSettled' | 'isUnsent'>;

export function noteCreateFailed(
  state: MachineState,
  { code, isSettled, isUnsent }: CreateFailure,
): void {
  const { creation } = state;
  // The outcome of earlier creates is as well known as before, and the token is as good.
  if (isUnsent && creation.stage === 'sent') return;
  if (isSettled && creation.stage === 'unknown') enter(state, { stage: 'sent' });
  // The token's instance was made and is gone: what came of it is known, and another needs another
  // token.
  if (code === 'Aborted' && isSettled) delete state.creation.unsettled;
  if (!isSettled) state.creation.unsettled ??= {};
  // A refused request may be changed before the next attempt, and a cloud refuses a changed request
  // under an old token. An unsettled one keeps its token until its outcome is known.
  else if (!state.creation.unsettled) state.creation.generation += 1;
}

/** The ids are on the object. */
export function noteRecorded(state: MachineState): void {
  const instance = instanceOf(state);
  if (instance) enter(state, { stage: 'recorded', instance });
}

/** The cloud knows the instance of a create without an answer. There may be another. */
export function noteFound(state: MachineState, instance: CreatedInstance): void {
  enter(state, { stage: 'made', instance });
}

/** Reports whether each create is known to have made nothing, or an instance that is gone. */
export function hasNothingMade({ creation, object }: MachineState): boolean {
  const { stage, unsettled } = creation;
  const isKnown = (stage === 'none' || stage === 'sent') && unsettled === undefined;
  return isKnown && object.prepared?.providerID === undefined;
}

/** An instance that cannot be used was deleted again: the next create makes another. */
export function noteUnusableDeleted(state: MachineState): void {
  enter(state, { stage: 'sent' });
  state.creation.generation += 1;
}

/** A create of an earlier life may have made an instance: its deletion searches for it. */
export function noteDeletionBegun({ creation }: MachineState): void {
  if (creation.stage === 'unknown') creation.unsettled ??= {};
}

/** The object does not have its ids any more. */
export function noteUnrecorded(state: MachineState): void {
  const { creation } = state;
  if (creation.stage === 'recorded') enter(state, { stage: 'made', instance: creation.instance });
}

/**
 * A delete that found the instance settles the create before it. Otherwise the cloud may list the
 * instance late, and the next delete settles it. Returns whether it may still be listed.
 */
export function noteDeleted(
  { creation }: MachineState,
  { isFound, settleSeconds }: Extract<DeleteOutcome, { outcome: 'deleted' }>,
): boolean {
  if (!creation.unsettled) return false;
  if (isFound || creation.unsettled.until !== undefined) {
    delete creation.unsettled;
    return false;
  }
  creation.unsettled = { until: Date.now() + settleSeconds * 1_000 };
  return true;
}

const recordedPhases: MachinePhase[] = ['Pending', 'Available', 'Failed'];
/**
 * As with MCM the creation goes on where its last step did not end: the instance may not be
 * initialised.
 */
const phasesInCreation: MachinePhase[] = ['', 'CrashLoopBackOff'];

/**
 * Restores the creation from the object, for a workflow that knows nothing else: Temporal was lost,
 * or MCM ran before.
 */
export function restoreCreation(state: MachineState, machine: PreparedMachine): void {
  const { unsettled } = state.creation;
  const generation = machine.createGeneration;
  // A launch gave no answer before this read: the driver knows what it made, and its Node.
  if (unsettled) {
    state.creation = { stage: 'sent', generation, unsettled };
    return;
  }
  const isOurs = state.object.unclaimedUid === machine.uid;
  const stage = stageOf(machine, isOurs);
  const isKnown = 'instance' in stage;
  const isUnproven = isKnown && isWordOfObject(machine);
  state.creation = {
    ...stage,
    generation,
    ...(isKnown && { isNodeOfLabel: true }),
    ...(isUnproven && { isUnproven }),
  };
}

/**
 * The label was wrong when this run began, as a person's mistake, and is right by now: it was
 * corrected, or etcd was restored from before the mistake. A Node that was seen to be of the
 * instance stays its own, whatever the label says later, and a deletion goes on with the Node that
 * it began with. Returns whether it is another Node now.
 */
export function followLabel(state: MachineState, { nodeName }: PreparedMachine): boolean {
  const { creation, teardown } = state;
  if (!('instance' in creation) || !creation.isNodeOfLabel || teardown) return false;
  const { instance } = creation;
  if (nodeName === undefined || nodeName === instance.nodeName || ownNodeOf(state)) return false;
  if (!patched('node-of-a-corrected-label')) return false;
  state.creation = { ...creation, instance: { ...instance, nodeName } };
  return true;
}

/**
 * The object has an instance that this run does not know: Temporal was restored from a backup of
 * before. Returns whether it is so.
 */
export function takeOverCreation(state: MachineState, machine: PreparedMachine): boolean {
  if (instanceOf(state) || !knownInstanceOf(machine)) return false;
  restoreCreation(state, machine);
  return true;
}

/**
 * @param isOurs Nothing was done for this object before this run. A workflow task that timed out
 *   may have written its failure to the status all the same, and the next attempt reads that.
 */
function stageOf(machine: PreparedMachine, isOurs: boolean): CreationStage {
  const { providerID, phase } = machine;
  const instance = knownInstanceOf(machine);
  if (instance) {
    const isRecorded = hasJoined(phase) || recordedPhases.includes(phase);
    return { stage: isRecorded ? 'recorded' : 'made', instance };
  }
  if (providerID !== undefined) return { stage: 'sent' };
  return { stage: isBegun(machine, isOurs) ? 'unknown' : 'none' };
}

/**
 * Something was done for this object before, which is not known. An object that names a Node is the
 * copy of a Machine that had an instance, e.g. from a backup.
 */
function isBegun({ isDeleting, phase, nodeName }: PreparedMachine, isOurs: boolean): boolean {
  const wasSeen = !isOurs && (isDeleting || phase !== '');
  return wasSeen || nodeName !== undefined || followsFailedRun();
}

/** Undefined where the driver is to be asked. A known providerID never creates. */
function knownInstanceOf(machine: PreparedMachine): CreatedInstance | undefined {
  const { providerID, nodeName = '', phase, usesTarget, isDeleting } = machine;
  if (providerID === undefined || (nodeName === '' && usesTarget)) return undefined;
  if (phasesInCreation.includes(phase) && !isDeleting) return undefined;
  return { providerID, nodeName, isFound: true };
}

/** A deletion has each of these phases, or leads there, whichever program wrote the ids. */
const phasesWithoutProof: MachinePhase[] = [...phasesInCreation, 'Terminating', 'Failed'];

function isWordOfObject({ phase, isDeleting, wasNodeSeen }: PreparedMachine): boolean {
  return isDeleting && phasesWithoutProof.includes(phase) && !wasNodeSeen;
}

function enter(state: MachineState, stage: CreationStage): void {
  const { generation, unsettled } = state.creation;
  const creation: CreationState = { ...stage, generation, ...(unsettled && { unsettled }) };
  state.creation = creation;
}
