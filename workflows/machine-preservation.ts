/** What the workflow of a machine knows of its preservation. A machine of which nobody says anything has nothing here. */
import type { Preservation, PreserveOutcome } from './activities.ts';
import type { PreservationNotes } from './api/preservation.ts';
import type { MachineState } from './machine-state.ts';
import type { NodeSnapshot } from './messages.ts';
import { defined } from './plan/defined.ts';
import type { PreservationFacts } from './plan/machine-preservation.ts';

export interface PreservationState {
  /** What was known at the last look: anything else is a reason to look again. */
  seen: string;
  /** Absent while it is not preserved. */
  kept?: Preservation;
  /** Of the Node of a Failed machine. */
  drain?: PreservationDrain;
  /** An API server was out of reach. */
  outage?: { reason: string; attempts: number; retryAt: number };
}

/** Times in milliseconds. */
export interface PreservationDrain {
  startedAt: number;
  isDone: boolean;
  /** Why the last attempt failed. */
  error?: string;
  attempts: number;
  retryAt?: number;
}

/** Undefined where there is nothing to look at. `node`: of this very machine. */
export function preservationFactsOf(
  state: MachineState,
  node: NodeSnapshot | undefined,
): PreservationFacts | undefined {
  const { preservation, prepared, observed } = state;
  // The phase of a machine that nobody has read yet is not known.
  if (!prepared) return undefined;
  const isSpokenOf = observed?.preservation !== undefined || node?.preserve !== undefined;
  if (!isSpokenOf && !preservation) return undefined;
  const { seen, kept, drain, outage }: Partial<PreservationState> = preservation ?? {};
  const notes = observed?.preservation;
  return defined({
    mustLook: seen !== fingerprintOf(state, { notes, node }),
    until: kept?.until,
    lookAt: outage?.retryAt,
    mustDrain: kept?.isToBeDrained === true && drain?.isDone !== true,
    drainAt: drain?.retryAt,
    mustForce: notes?.forcesDrain ?? false,
  });
}

interface Spoken {
  notes: PreservationNotes | undefined;
  node: Pick<NodeSnapshot, 'uid' | 'exists' | 'preserve'> | undefined;
}

/** Of the drain how it ended: then the Node is to say so. */
function fingerprintOf({ phase, preservation }: MachineState, { notes, node }: Spoken): string {
  const { isDone = false, error } = preservation?.drain ?? {};
  const ofNode = node?.exists ? `${node.uid} ${node.preserve ?? ''}` : '';
  return JSON.stringify([notes ?? null, ofNode, phase, isDone, error ?? '']);
}

/** What a look went by, to tell what a signal changed meanwhile. */
export interface Before extends Pick<MachineState, 'observed'> {
  node: NodeSnapshot | undefined;
}

/** Takes over what a look left on the objects; what a signal told of them meanwhile is another reason to look. */
export function noteLook(
  state: MachineState,
  before: Before,
  outcome: Extract<PreserveOutcome, { found: 'machine' }>,
): void {
  const { preservation: kept, notes, node } = outcome;
  const drain = kept?.isToBeDrained ? state.preservation?.drain : undefined;
  const isSilent = !kept && !notes && (node?.preserve ?? '') === '';
  if (isSilent) delete state.preservation;
  else state.preservation = { seen: '', ...defined({ kept, drain }) };
  const left = nodeLeft(before.node, node);
  if (state.preservation) state.preservation.seen = fingerprintOf(state, { notes, node: left });
  if (state.observed && state.observed === before.observed) {
    const { preservation: _older, ...rest } = state.observed;
    state.observed = { ...rest, ...(notes && { preservation: notes }) };
  }
  if (left && state.node === before.node) state.node = left;
}

/** The Node as the watcher told of it, with the word that stands there now. One that it never told of is no reason to look. */
function nodeLeft(
  known: NodeSnapshot | undefined,
  left: { uid: string; preserve: string } | undefined,
): NodeSnapshot | undefined {
  if (!known || known.uid !== left?.uid) return known;
  const { preserve: _older, ...rest } = known;
  return { ...rest, ...(left.preserve !== '' && { preserve: left.preserve }) };
}
