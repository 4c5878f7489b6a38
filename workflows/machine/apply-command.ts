/** Applies a person's command to a machine: first on the object, then in the state. */
import type { ObjectReference } from '../contracts/references.ts';
import { drainBeganAt, drainDeadlineOf } from './deadlines.ts';
import { forgetReportedDeadline } from './drain.ts';
import { retryFailureNow } from './failure.ts';
import { forgetCommand, noteDrainOptions, noteForce, noteWritten } from './object.ts';
import { tryNow } from '../plan/requeues.ts';
import type { MachineState } from './state.ts';
import { skipDrain } from './teardown.ts';
import type { MachineCommand } from '../contracts/commands.ts';
import { defined } from '../values/defined.ts';
import { localFirst } from '../runtime/activity-options.ts';
import type { PendingCommand } from '../runtime/command-queue.ts';

/** Returns what was done, in words. A drain that runs has to be begun again afterwards. */
export async function applyCommand(
  state: MachineState,
  machine: ObjectReference,
  { command, written, heardAt }: PendingCommand<MachineCommand>,
): Promise<string> {
  // Absolute, so that a step that runs twice does not extend twice.
  const until =
    command.verb === 'extendDrain' ? drainDeadlineOf(state) + command.minutes * 60_000 : undefined;
  const countsFrom = until === undefined ? undefined : drainBeganAt(state);
  const now = Date.now();
  const input = defined({ machine, command, until, countsFrom, written, heardAt, now });
  const run = localFirst((steps) => steps.applyMachineCommand(input), command.verb);
  const { words, resourceVersion, isStale } = await run;
  if (written !== undefined) forgetCommand(state, written);
  // An attempt without an answer in time may have done it. Other commands are signalled with the
  // object; a retry is not on it, and one too many does no harm.
  if (isStale && command.verb !== 'retryNow') return words;
  noteCommand(state, command, until);
  if (resourceVersion !== undefined) noteWritten(state, resourceVersion);
  return words;
}

function noteCommand(
  state: MachineState,
  { verb }: MachineCommand,
  until: number | undefined,
): void {
  if (verb === 'retryNow') {
    retryFailureNow(state);
    tryNow(state.requeues.drainPreserved);
  }
  if (verb === 'forceDelete') noteForce(state);
  if (verb === 'skipDrain') skipDrain(state);
  if (verb === 'skipVolumeWait') noteDrainOptions(state, { skipsVolumeWait: true });
  if (until === undefined) return;
  noteDrainOptions(state, { until });
  forgetReportedDeadline(state);
}
