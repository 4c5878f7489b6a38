/** The first read of an object shows what was done for it before: Temporal was lost, or MCM ran. */
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import { restoreCreation } from './creation.ts';
import { noteBehind } from './node.ts';
import { noteRead } from './object.ts';
import { setPhase } from './phase.ts';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';

/** Takes over what was read, and, the first time, how far the machine has come. */
export function takeRead(state: MachineState, machine: PreparedMachine, cluster: string): void {
  const isFirstRead = state.object.prepared === undefined;
  noteRead(state, machine, cluster);
  if (!isFirstRead) return;
  restoreCreation(state, machine);
  if (!instanceOf(state)) return;
  // The Machine may have been edited while no workflow ran for it.
  if (livingPhaseOf(machine) === 'Running') noteBehind(state);
  setPhase(state, livingPhaseOf(machine));
}

/** Its deletion began, and was undone by an etcd that was restored. */
function livingPhaseOf({ phase, isDeleting, usesTarget, wasNodeSeen }: PreparedMachine) {
  if (phase !== 'Terminating' || isDeleting) return phase;
  if (!usesTarget) return 'Available';
  return wasNodeSeen ? 'Running' : 'Pending';
}
