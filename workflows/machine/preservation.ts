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
import { stepBackoffSeconds } from '../plan/step-backoff.ts';
import type { NodeSnapshot } from '../contracts/snapshots.ts';
import { defined } from '../values/defined.ts';
import type { PreservationFacts } from '../plan/machine/preservation-step.ts';
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
  const known = state.preservation ?? { seen: '' };
  return {
    mustCheck: known.seen !== fingerprintOf(state, { notes, node }),
    forcesDrain: notes?.forcesDrain ?? false,
    ...timesOf(known),
  };
}

function timesOf({
  kept,
  drain,
  outage,
}: PreservationState): Omit<PreservationFacts, 'mustCheck' | 'forcesDrain'> {
  const mustDrain = kept?.isToBeDrained === true && drain?.isDone !== true;
  return defined({
    mustDrain,
    until: kept?.until,
    checkAt: outage?.retryAt,
    drainAt: drain?.retryAt,
  });
}

interface Spoken {
  notes: PreservationNotes | undefined;
  node: Pick<NodeSnapshot, 'uid' | 'exists' | 'preserve'> | undefined;
}

/** Includes how the drain ended: then the Node is to say so. */
function fingerprintOf({ phase, preservation }: MachineState, { notes, node }: Spoken): string {
  const { isDone = false, error } = preservation?.drain ?? {};
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
  delete state.preservation;
  const said = [kept, notes, node?.preserve, left?.preserve];
  if (said.some(Boolean)) {
    state.preservation = { seen: '', ...defined({ kept, drain }) };
    state.preservation.seen = fingerprintOf(state, { notes, node: left });
  }
  if (left) noteWritten(state, before.node, left);
  if (state.object.observed === before.observed) notePreservation(state, notes);
}

/** The object is gone, or going: there is nothing to check until the watcher signals. */
export function noteNothing(state: MachineState, { observed, node }: Before): void {
  delete state.preservation;
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
  const { preservation = { seen: '' } } = state;
  const attempts = (preservation.outage?.attempts ?? 0) + 1;
  const wait = stepBackoffSeconds({ attempts, random: Math.random() });
  preservation.outage = { reason, attempts, retryAt: Date.now() + wait * 1000 };
  state.preservation = preservation;
}

export function endPreservation(state: MachineState): void {
  delete state.preservation;
}

/** Undefined where nothing is preserved. */
export function beginPreservedDrain({ preservation }: MachineState): PreservationDrain | undefined {
  if (!preservation) return undefined;
  preservation.drain ??= { startedAt: Date.now(), isDone: false, attempts: 0 };
  return preservation.drain;
}

export function notePreservedDrainDone(drain: PreservationDrain): void {
  drain.isDone = true;
  delete drain.error;
}

export function notePreservedDrainFailed(drain: PreservationDrain, message: string): void {
  drain.attempts += 1;
  drain.error = message;
  const wait = stepBackoffSeconds({ attempts: drain.attempts, random: Math.random() });
  drain.retryAt = Date.now() + wait * 1_000;
}

export function retryPreservedDrainNow({ preservation }: MachineState): void {
  delete preservation?.drain?.retryAt;
}
