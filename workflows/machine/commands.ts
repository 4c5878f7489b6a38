/** What people and programs ask of a machine's drain. */
import { quoted } from '../api/validation.ts';
import { CommandQueue } from '../runtime/command-queue.ts';
import { isBeingDrained } from './drain.ts';
import type { MachineState } from './state.ts';
import type { MachineCommand } from '../contracts/commands.ts';
import { machineCommands } from '../contracts/commands.ts';

export class MachineCommands extends CommandQueue<MachineCommand> {
  /** @param state What is known, to refuse a command before it begins. */
  constructor(state: MachineState, wake: () => void) {
    super((command) => errorOf(command, state), wake);
    this.listen(machineCommands.retryNow);
    this.listen(machineCommands.skipDrain);
    this.listen(machineCommands.forceDelete);
    this.listen(machineCommands.extendDrain);
    this.listen(machineCommands.skipVolumeWait);
  }
}

/** A week. */
const longestExtensionMinutes = 10_080;

/** What is wrong with a command, in words that say what to do; undefined when it can be tried. */
export function errorOf(command: MachineCommand, state: MachineState): string | undefined {
  if (command.by !== undefined && typeof command.by !== 'string') return 'by: must be a text';
  const isDraining = state.teardown?.stage === 'draining';
  if (command.verb === 'retryNow') {
    const isWaiting = isBeingDrained(state) || state.failure !== undefined;
    return isWaiting ? undefined : 'the machine waits for nothing that can be tried again';
  }
  if (!isDraining) return 'the machine is not being drained: delete it first';
  return command.verb === 'extendDrain' ? minutesError(command.minutes) : undefined;
}

function minutesError(minutes: unknown): string | undefined {
  const isFit = typeof minutes === 'number' && minutes > 0 && minutes <= longestExtensionMinutes;
  return isFit
    ? undefined
    : `minutes: ${quoted(minutes)}: must be a number above 0, and at most ${longestExtensionMinutes}`;
}
