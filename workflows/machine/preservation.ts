/**
 * Preservation of a machine, as its workflow knows it. Empty for a machine that neither its
 * annotations nor those of its Node ask to preserve.
 */
import type { PreservationNotes } from '../api/preservation.ts';
import { noteWritten } from './node.ts';
import { notePreservation } from './object.ts';
import type {
  MachineObjectState,
  MachineState,
  PreservationDrain,
  PreservationState,
} from './state.ts';
import { failed, forget } from '../plan/requeues.ts';
import { attemptNow } from '../runtime/turns.ts';
import type { NodeSnapshot } from '../contracts/snapshots.ts';
import { defined } from '../values/defined.ts';
import type { PreservationFacts } from '../plan/machine/facts.ts';
import type { PreserveOutcome } from '../contracts/preservation-activities.ts';

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

/** An API server was out of reach: the next check is later. */
export function notePreservationOutage(state: MachineState, reason: string): void {
  state.preservation ??= { seen: '' };
  failed(state.requeues, 'preserve', { message: reason, ...attemptNow() });
}

export function endPreservation(state: MachineState): void {
  delete state.preservation;
  forget(state.requeues, 'preserve');
  forget(state.requeues, 'drainPreserved');
}

/** Undefined where nothing is preserved. */
export function beginPreservedDrain({ preservation }: MachineState): PreservationDrain | undefined {
  if (preservation) preservation.drain ??= { startedAt: Date.now(), isDone: false };
  return preservation?.drain;
}

/** Not of a drain whose preservation ended meanwhile. `error`: absent when it is done. */
export function endPreservedDrain(
  state: MachineState,
  drain: PreservationDrain,
  error?: string,
): void {
  if (state.preservation?.drain !== drain) return;
  drain.isDone = error === undefined;
  if (error === undefined) forget(state.requeues, 'drainPreserved');
  else failed(state.requeues, 'drainPreserved', { message: error, ...attemptNow() });
}
