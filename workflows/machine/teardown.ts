/** The teardown of a machine that is being deleted. */
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import type { TeardownStage } from '../plan/machine/facts.ts';
import { drainOptionsOf } from './deadlines.ts';
import { endDrain } from './drain.ts';
import type { MachineState, TeardownState } from './state.ts';

/** Begins it as the object is now. */
export function enterTeardown(state: MachineState, machine: PreparedMachine): void {
  state.teardown = newTeardown(state, machine, Date.now());
}

/** Its instance and its Node are those of another Machine. */
export function leaveInstance(state: MachineState): void {
  state.node.isContested = true;
  noteInstanceGone(state, false);
}

/** Its instance became known: now it has a Node to be drained. */
export function noteInstanceFound(state: MachineState): void {
  const { teardown, object } = state;
  if (!teardown || !object.prepared) return;
  state.teardown = newTeardown(state, object.prepared, teardown.startedAt);
}

/** The cloud was asked what a create without an answer made, and has nothing. */
export function noteNothingFound({ teardown }: MachineState): void {
  // A delete by the token shows whether the cloud lists it after all.
  if (teardown) teardown.stage = 'deleting';
}

export function noteDrained({ teardown }: MachineState, isForced: boolean): void {
  if (!teardown) return;
  if (teardown.stage === 'draining') teardown.stage = 'deleting';
  if (isForced) teardown.wasForced = true;
}

/** The instance goes with the pods on it. */
export function skipDrain(state: MachineState): void {
  if (!state.teardown) return;
  // The pods are still there, with their volumes.
  noteDrained(state, true);
  endDrain(state);
}

/** A delete found the instance: its tags say whose it is. */
export function noteProven({ teardown }: MachineState): void {
  if (teardown) teardown.isProven = true;
}

/** The cloud has not said that the instance is this machine's. */
export function isUnproven({ creation, teardown }: MachineState): boolean {
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

export function noteFinished({ teardown }: MachineState): void {
  if (teardown) teardown.stage = 'finished';
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
