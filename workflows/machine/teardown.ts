/** The teardown of a machine that is being deleted. */
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import { drainOptionsOf } from './deadlines.ts';
import { endDrain } from './drain.ts';
import type { MachineState, TeardownState } from './state.ts';
import { instanceOf } from './state.ts';

/** Begins it as the object is now. */
export function enterTeardown(state: MachineState, machine: PreparedMachine): void {
  state.teardown = newTeardown(state, machine, Date.now());
}

/** Its instance became known: now it has a Node to be drained. */
export function noteInstanceFound(state: MachineState): void {
  const { teardown, object } = state;
  if (!teardown || !object.prepared) return;
  state.teardown = newTeardown(state, object.prepared, teardown.startedAt);
}

/** The cloud was asked what a create without an answer made, and has nothing. */
export function noteNothingFound({ teardown }: MachineState): void {
  delete teardown?.mustFind;
}

export function noteDrained({ teardown }: MachineState, isForced: boolean): void {
  if (!teardown) return;
  teardown.isDrained = true;
  if (isForced) teardown.wasForced = true;
}

/** The instance goes with the pods on it. */
export function skipDrain(state: MachineState): void {
  if (!state.teardown) return;
  // The pods are still there, with their volumes.
  noteDrained(state, true);
  endDrain(state);
}

/** `mayBeListedLate`: another instance of the same machine; it has a Node as well. */
export function noteInstanceGone(
  { teardown, object }: MachineState,
  mayBeListedLate: boolean,
): void {
  if (!teardown) return;
  teardown.isInstanceGone = true;
  if (mayBeListedLate && object.prepared?.usesTarget) teardown.mustFind = true;
}

export function noteFinished({ teardown }: MachineState): void {
  if (teardown) teardown.isFinished = true;
}

function newTeardown(
  state: MachineState,
  { usesTarget, providerID }: PreparedMachine,
  startedAt: number,
): TeardownState {
  const instance = instanceOf(state);
  const hasNode = instance !== undefined && usesTarget && !state.node.isContested;
  // Without its name the Node of an instance cannot be drained: the cloud knows it.
  const mayHaveInstance = state.creation.unsettled !== undefined || providerID !== undefined;
  const mustFind = mayHaveInstance && usesTarget && instance === undefined;
  const isSkipped = drainOptionsOf(state).isSkipped ?? false;
  return {
    ...(mustFind && { mustFind }),
    isDrained: !hasNode || isSkipped,
    ...(isSkipped && { wasForced: true }),
    isInstanceGone: false,
    isFinished: false,
    startedAt,
  };
}
