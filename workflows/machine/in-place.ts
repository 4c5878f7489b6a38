/** An update in place of a machine's Node, as its workflow knows it. */
import type { InPlaceFacts } from '../plan/machine/facts.ts';
import { isBeingUpdated } from '../api/phases.ts';
import { failed, forget, tryNow } from '../plan/requeues.ts';
import type { InPlaceOutcome } from '../contracts/in-place-activities.ts';
import type { NodeSnapshot } from '../contracts/snapshots.ts';
import { attemptNow } from '../runtime/turns.ts';
import { defined } from '../values/defined.ts';
import { checkSoon } from './health.ts';
import { noteWritten, ownNodeOf } from './node.ts';
import { setPhase } from './phase.ts';
import type { InPlaceState, MachineState, PreservationDrain } from './state.ts';

/** Undefined where neither phase nor Node say anything of one. */
export function inPlaceFactsOf(state: MachineState): InPlaceFacts | undefined {
  const { object, phase, inPlace } = state;
  if (object.prepared?.usesTarget !== true) return undefined;
  const node = presentNodeOf(state);
  if (!node?.inPlace && !isBeingUpdated(phase)) return undefined;
  const { clock, drain, requeues } = inPlace ?? { requeues: {} };
  const isClockKnown = clock?.phase === phase;
  return defined({
    node: node && (node.inPlace ?? {}),
    isDrained: isDone(drain, node),
    mustCheck: isBeingUpdated(phase) && !isClockKnown,
    ...(isClockKnown && { deadline: clock.deadline, hold: clock.hold }),
    requeue: requeues.updateInPlace,
    drainRequeue: requeues.drainInPlace,
  });
}

/** Not where the Node was selected anew since. */
function isDone(drain: PreservationDrain | undefined, node: NodeSnapshot | undefined): boolean {
  if (!drain?.isDone) return false;
  const { since = drain.startedAt } = node?.inPlace ?? {};
  return drain.startedAt === since;
}

/** The Node of this machine, unless it goes. */
function presentNodeOf(state: MachineState): NodeSnapshot | undefined {
  const node = ownNodeOf(state);
  return node?.exists && !node.isDeleting ? node : undefined;
}

/** The spec was edited: the limit of its phase may be another. */
export function forgetClock({ inPlace }: MachineState): void {
  delete inPlace?.clock;
}

/** A step of it failed, and is tried again later. */
export function isUpdateRetried({ inPlace }: MachineState): boolean {
  return Object.keys(inPlace?.requeues ?? {}).length > 0;
}

export function retryInPlaceNow({ inPlace }: MachineState): void {
  tryNow(...Object.values(inPlace?.requeues ?? {}));
}

type Updated = Extract<InPlaceOutcome, { found: 'machine' }>;

/** Takes over what a step left. `before`: the Node as it was known when the step began. */
export function noteUpdated(
  state: MachineState,
  before: NodeSnapshot | undefined,
  { phase, node, deadline, hold }: Updated,
): void {
  const { phase: phaseBefore } = state;
  const inPlace = inPlaceOf(state);
  forget(inPlace.requeues, 'updateInPlace');
  inPlace.clock = defined({ phase, deadline, hold });
  if (node?.inPlace?.reason !== 'SelectedForUpdate') endDrains(inPlace);
  setPhase(state, phase);
  // Nothing else is a reason to check it now.
  const isBack = phase === 'Running' || phase === 'InPlaceUpdateSuccessful';
  if (phase !== phaseBefore && (isBack || phaseBefore === 'Unknown')) checkSoon(state);
  if (before && before.uid === node?.uid) {
    const { inPlace: _older, ...rest } = before;
    noteWritten(state, before, { ...rest, ...(node.inPlace && { inPlace: node.inPlace }) });
  }
  if (!inPlaceFactsOf(state)) delete state.inPlace;
}

export function noteNotUpdated(state: MachineState, message: string): void {
  failed(inPlaceOf(state).requeues, 'updateInPlace', { message, ...attemptNow() });
}

/** Its clock counts from the selection: no restart begins it anew. */
export function beginDrain(state: MachineState): PreservationDrain {
  const startedAt = ownNodeOf(state)?.inPlace?.since ?? Date.now();
  return (inPlaceOf(state).drain = { startedAt, isDone: false });
}

/** `error`: why nothing came of it. */
export function endUpdateDrain(
  { inPlace }: MachineState,
  drain: PreservationDrain,
  error?: string,
): void {
  if (inPlace?.drain !== drain) return;
  drain.isDone = error === undefined;
  if (error === undefined) forget(inPlace.requeues, 'drainInPlace');
  else noteDrainFailed(inPlace, error);
}

export function noteDrainUntaken({ inPlace }: MachineState, message: string): void {
  if (!inPlace) return;
  const { failures = 0 } = inPlace.requeues.drainInPlace ?? {};
  inPlace.requeues.drainInPlace = { failures, retryAt: 0, message };
}

function noteDrainFailed(inPlace: InPlaceState, message: string): void {
  delete inPlace.drain;
  failed(inPlace.requeues, 'drainInPlace', { message, ...attemptNow() });
}

/** Cancelled: another drain, or none, may follow. */
export function dropUpdateDrain({ inPlace }: MachineState): void {
  if (inPlace?.drain?.isDone === false) delete inPlace.drain;
}

function endDrains(inPlace: InPlaceState): void {
  delete inPlace.drain;
  forget(inPlace.requeues, 'drainInPlace');
}

function inPlaceOf(state: MachineState): InPlaceState {
  return (state.inPlace ??= { requeues: {} });
}
