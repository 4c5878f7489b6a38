/**
 * Preservation of a machine, as its workflow knows it. Empty for a machine that neither its
 * annotations nor those of its Node ask to preserve.
 */
import type { PreservationNotes } from '../api/preservation.ts';
import { noteWritten, joinedUidOf, ownNodeOf } from './node.ts';
import { notePreservation } from './object.ts';
import type {
  MachineObjectState,
  MachineState,
  PreservationDrain,
  PreservationState,
} from './state.ts';
import { instanceOf } from './state.ts';
import { failed, forget } from '../plan/requeues.ts';
import { attemptNow } from '../runtime/turns.ts';
import type { NodeSnapshot } from '../contracts/snapshots.ts';
import { defined } from '../values/defined.ts';
import type { PreservationFacts } from '../plan/machine/facts.ts';
import type { PreserveOutcome, PreserveRequest } from '../contracts/preservation-activities.ts';
import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import { messageOf, localFirstOnce } from '../runtime/activity-options.ts';
import { drainOutcome, drainRequestOf } from './drain-calls.ts';
import { endDrain } from './drain.ts';
import { showPreservation } from './phase.ts';
import type { StepContext } from './step-context.ts';

/** Undefined where there is nothing to check. `node`: of this very machine. */
export function preservationFactsOf(
  state: MachineState,
  node: NodeSnapshot | undefined,
): PreservationFacts | undefined {
  const notes = state.object.observed?.preservation;
  const isSpokenOf = notes !== undefined || node?.preserve !== undefined;
  // Before the first read the phase is not known.
  if (!state.object.prepared || (!isSpokenOf && !state.preservation)) return undefined;
  const { seen = '', kept }: Partial<PreservationState> = state.preservation ?? {};
  const { preserve, drainPreserved } = state.requeues;
  return defined({
    mustCheck: seen !== fingerprintOf(state, { notes, node }),
    forcesDrain: notes?.forcesDrain ?? false,
    mustDrain: mustDrain(state.preservation),
    until: kept?.until,
    checkAt: preserve?.retryAt,
    drainAt: drainPreserved?.retryAt,
  });
}

function mustDrain({ kept, drain }: Partial<PreservationState> = {}): boolean {
  return kept?.isToBeDrained === true && drain?.isDone !== true;
}

interface Spoken {
  notes: PreservationNotes | undefined;
  node: Pick<NodeSnapshot, 'uid' | 'exists' | 'preserve'> | undefined;
}

/** Includes how the drain ended: then the Node is to say so. */
function fingerprintOf(state: MachineState, { notes, node }: Spoken): string {
  const { phase, preservation, requeues } = state;
  const { isDone = false } = preservation?.drain ?? {};
  const error = requeues.drainPreserved?.message;
  const ofNode = node?.exists ? `${node.uid} ${node.preserve ?? ''}` : '';
  return JSON.stringify([notes ?? null, ofNode, phase, isDone, error ?? '']);
}

/** State on which a check was based, so that a signal that came meanwhile is noticed. */
export interface Before extends Pick<MachineObjectState, 'observed'> {
  node: NodeSnapshot | undefined;
}

/**
 * Takes over what a check left on the objects; a signal that came meanwhile is a reason for
 * another check.
 */
export function noteApplied(
  state: MachineState,
  before: Before,
  { preservation: kept, notes, node }: Applied,
): void {
  const drain = kept?.isToBeDrained ? state.preservation?.drain : undefined;
  const left = nodeLeft(before.node, node);
  const { drainPreserved } = state.requeues;
  endPreservation(state);
  const said = [kept, notes, node?.preserve, left?.preserve];
  if (said.some(Boolean)) {
    state.preservation = { seen: '', ...defined({ kept, drain }) };
    if (drain && drainPreserved) state.requeues.drainPreserved = drainPreserved;
    state.preservation.seen = fingerprintOf(state, { notes, node: left });
  }
  if (left) noteWritten(state, before.node, left);
  if (state.object.observed === before.observed) notePreservation(state, notes);
}

/** The object is gone, or going: there is nothing to check until the watcher signals. */
export function noteNothing(state: MachineState, { observed, node }: Before): void {
  endPreservation(state);
  const seen = fingerprintOf(state, { notes: observed?.preservation, node });
  state.preservation = { seen };
}

type Applied = Omit<Extract<PreserveOutcome, { found: 'machine' }>, 'found'>;

/**
 * The Node as the watcher signalled it, with the annotation that it has now. A Node that was never
 * signalled is no reason to check.
 */
function nodeLeft(
  known: NodeSnapshot | undefined,
  left: { uid: string; preserve: string } | undefined,
): NodeSnapshot | undefined {
  if (!known || known.uid !== left?.uid) return known;
  const { preserve: _older, ...rest } = known;
  return { ...rest, ...(left.preserve !== '' && { preserve: left.preserve }) };
}

export function endPreservation(state: MachineState): void {
  delete state.preservation;
  forget(state.requeues, 'preserve');
  forget(state.requeues, 'drainPreserved');
}

/** Not of a drain whose preservation ended meanwhile. `error`: absent when it is done. */
function endPreservedDrain(state: MachineState, drain: PreservationDrain, error?: string): void {
  if (state.preservation?.drain !== drain) return;
  drain.isDone = error === undefined;
  if (error === undefined) forget(state.requeues, 'drainPreserved');
  else failed(state.requeues, 'drainPreserved', { message: error, ...attemptNow() });
}

/** Preserves a machine, and drains the Node of one that has failed. */
async function checkPreservation(context: StepContext): Promise<void> {
  const { state } = context;
  const { preservation, object } = state;
  const { observed } = object;
  const before = { ...(observed && { observed }), node: ownNodeOf(state) };
  const until = preservation?.kept?.until;
  const known = { until, drain: endOfDrain(state), nodeUid: joinedUidOf(state), now: Date.now() };
  const request = defined({ machine: context.machine(), ...known });
  const outcome = await preserveOnce(request);
  if (outcome.found === 'outOfReach' || outcome.found === 'refused') {
    state.preservation ??= { seen: '' };
    failed(state.requeues, 'preserve', { message: outcome.reason, ...attemptNow() });
    return;
  }
  if (outcome.found === 'nothing') noteNothing(state, before);
  else noteApplied(state, before, outcome);
  if (state.preservation?.kept?.until !== until) showPreservation(state);
}

/** Tries once: a failure must not hold up the other steps of the Machine. */
async function preserveOnce(request: PreserveRequest): Promise<PreserveOutcome> {
  try {
    return await localFirstOnce((steps) => steps.preserveMachine(request), 'preservation');
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return { found: 'refused', reason: messageOf(error) };
  }
}

function endOfDrain({ preservation, requeues }: MachineState): { error?: string } | undefined {
  if (preservation?.drain?.isDone) return {};
  const { drainPreserved: failure } = requeues;
  return failure && { error: failure.message };
}

/**
 * As with a deletion, a pass that is blocked is tried again by Temporal; only what a person has to
 * fix ends it.
 */
async function drainPreservedNode(context: StepContext): Promise<void> {
  const { state } = context;
  const { preservation } = state;
  if (!preservation) return;
  const drain = (preservation.drain ??= { startedAt: Date.now(), isDone: false });
  try {
    await drainKept(context);
    endPreservedDrain(state, drain);
  } catch (error) {
    const isCancelled = CancellationScope.current().consideredCancelled;
    if (isCancelled || !(error instanceof ActivityFailure)) throw error;
    endPreservedDrain(state, drain, messageOf(error));
  } finally {
    endDrain(state);
  }
}

async function drainKept(context: StepContext): Promise<void> {
  const { state } = context;
  const instance = instanceOf(state);
  if (!instance || !state.object.prepared) return;
  await drainOutcome({
    summary: `drain ${instance.nodeName}, which is preserved`,
    request: () => ({ ...drainRequestOf(context, instance, 'drainPreserved'), keepsNode: true }),
    async onUntaken(why) {
      const { requeues } = state;
      requeues.drainPreserved = {
        failures: 0,
        retryAt: 0,
        ...requeues.drainPreserved,
        message: why,
      };
      context.noteChange();
    },
  });
}

export const preservationSteps = {
  preserve: checkPreservation,
  drainPreserved: drainPreservedNode,
};
