/** The first read of an object shows what was done for it before: Temporal was lost, or MCM ran. */
import { hasJoined } from '../api/phases.ts';
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import { followLabel, noteUnrecorded, restoreCreation, takeOverCreation } from './creation.ts';
import { clearFailure } from './failure.ts';
import { checkSoon } from './health.ts';
import { noteBehind, noteOtherNode } from './node.ts';
import { noteRead, takeDoubt } from './object.ts';
import { setPhase } from './phase.ts';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';

/** Takes over what was read, and, the first time, how far the machine has come. */
export function takeRead(state: MachineState, machine: PreparedMachine, cluster: string): void {
  const isFirstRead = state.object.prepared === undefined;
  noteRead(state, machine, cluster);
  const isInDoubt = takeDoubt(state);
  if (!isFirstRead && followLabel(state, machine)) noteOtherNode(state);
  if (!isFirstRead && isInDoubt) correct(state, machine);
  if (!isFirstRead) return;
  restoreCreation(state, machine);
  if (!instanceOf(state)) return;
  // The Machine may have been edited while no workflow ran for it.
  if (hasJoined(livingPhaseOf(machine))) noteBehind(state);
  setPhase(state, livingPhaseOf(machine));
}

/**
 * An etcd that was restored took the object back to before: the known state of its creation is
 * written to it again. A machine that has failed since then is to fail again, for its set to see
 * it. The phase of a machine that has joined is corrected by a check of its health.
 */
function correct(state: MachineState, machine: PreparedMachine): void {
  const { providerID, phase, isDeleting } = machine;
  if (isDeleting || state.creation.stage !== 'recorded') return;
  const isRecorded = providerID !== undefined;
  if (isRecorded && (phase === state.phase || hasJoined(state.phase))) return;
  if (isRecorded && hasJoined(phase)) {
    setPhase(state, phase);
    checkSoon(state);
    return;
  }
  noteUnrecorded(state);
  setPhase(state, 'Pending');
}

/** A run that was restored from a backup goes on as the object says. */
export function takeOver(state: MachineState, machine: PreparedMachine): void {
  if (!takeOverCreation(state, machine)) return;
  // The failure is of a create that made an instance after all.
  clearFailure(state);
  setPhase(state, livingPhaseOf(machine));
  checkSoon(state);
}

/** Its deletion began, and was undone by an etcd that was restored. */
function livingPhaseOf({ phase, isDeleting, usesTarget, wasNodeSeen }: PreparedMachine) {
  if (phase !== 'Terminating' || isDeleting) return phase;
  if (!usesTarget) return 'Available';
  return wasNodeSeen ? 'Running' : 'Pending';
}
