/** Commands of people and programs to a machine's drain. */
import { quoted } from '../api/validation.ts';
import type { PendingCommand } from '../runtime/command-queue.ts';
import { CommandQueue } from '../runtime/command-queue.ts';
import type { Page } from '../runtime/page.ts';
import { isBeingDrained, forgetReportedDeadline } from './drain.ts';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';
import type { MachineCommand } from '../contracts/commands.ts';
import { machineCommands } from '../contracts/commands.ts';
import type { ObjectReference } from '../contracts/references.ts';
import { drainBeganAt, drainDeadlineOf } from './deadlines.ts';
import { retryFailureNow } from './failure.ts';
import { checkHooksSoon, knownHoldOf } from './hooks.ts';
import { forgetClock, isUpdateRetried, retryInPlaceNow } from './in-place.ts';
import { ownNodeOf } from './node.ts';
import { forgetCommand, noteDrainOptions, noteForce, noteWritten } from './object.ts';
import type { Instance } from '../plan/machine/facts.ts';
import { tryNow } from '../plan/requeues.ts';
import { skipDrain } from './teardown.ts';
import { defined } from '../values/defined.ts';
import { localFirst } from '../runtime/activity-options.ts';

export class MachineCommands extends CommandQueue<MachineCommand> {
  /** @param state What is known, to refuse a command before it begins. */
  constructor(state: MachineState, page: Page, wake: () => void) {
    super((command) => errorOf(command, state), page, { wake });
    this.listen(machineCommands.retryNow);
    this.listen(machineCommands.skipDrain);
    this.listen(machineCommands.forceDelete);
    this.listen(machineCommands.extendDrain);
    this.listen(machineCommands.skipVolumeWait);
    this.listen(machineCommands.selectForUpdate);
    this.listen(machineCommands.retryUpdate);
    this.listen(machineCommands.giveUpUpdate);
  }
}

function isOfUpdate(verb: MachineCommand['verb']): boolean {
  return verb === 'retryUpdate' || verb === 'giveUpUpdate';
}

/** A week. */
const longestExtensionMinutes = 10_080;

/** Returns the fault of a command, in words that say what to do; undefined when it can be tried. */
export function errorOf(command: MachineCommand, state: MachineState): string | undefined {
  if (command.by !== undefined && typeof command.by !== 'string') return 'by: must be a text';
  if (command.verb === 'retryNow') return retryError(state);
  if (command.verb === 'selectForUpdate') return selectionError(state);
  if (isOfUpdate(command.verb)) {
    const hasFailed = state.phase === 'InPlaceUpdateFailed';
    return hasFailed ? undefined : 'the machine is not InPlaceUpdateFailed: no update has failed';
  }
  if (!mayBeDrained(state)) return 'the machine is not being drained: delete it first';
  if (command.verb === 'extendDrain' && knownHoldOf(state)?.part === 'drain') {
    return 'hooks hold the drain, and its time has not begun: remove them first';
  }
  return command.verb === 'extendDrain' ? minutesError(command.minutes) : undefined;
}

function retryError(state: MachineState): string | undefined {
  const isHeld = knownHoldOf(state) !== undefined;
  const isRetried = state.failure !== undefined || isUpdateRetried(state);
  const isWaiting = isBeingDrained(state) || isRetried || isHeld;
  return isWaiting ? undefined : 'the machine waits for nothing that can be tried again';
}

/** What its rollout says to it is read when it is done. */
function selectionError(state: MachineState): string | undefined {
  const { isCandidate = false, isSelected = false, reason } = ownNodeOf(state)?.inPlace ?? {};
  if (isSelected) return 'its Node is selected for an update in place already';
  return isCandidate && reason === 'CandidateForUpdate'
    ? undefined
    : 'its Node is no candidate for an update in place';
}

/**
 * It is being deleted, and its teardown begins next. Only then is known whether it is drained, and
 * until when: what is asked of its drain waits for that.
 */
export function isTeardownDue({ teardown, object }: MachineState): boolean {
  const { observed } = object;
  return !teardown && !object.isGone && !!observed?.isDeleting && observed.hasFinalizer;
}

/** A create without an answer may have made an instance, whose Node is drained when it is found. */
function mayBeDrained(state: MachineState): boolean {
  const { stage } = state.teardown ?? {};
  return isTeardownDue(state) || stage === 'searching' || stage === 'draining';
}

function minutesError(minutes: unknown): string | undefined {
  const isFit = typeof minutes === 'number' && minutes > 0 && minutes <= longestExtensionMinutes;
  return isFit
    ? undefined
    : `minutes: ${quoted(minutes)}: must be a number above 0, and at most ${longestExtensionMinutes}`;
}

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
  const instance = command.verb === 'retryUpdate' ? idsOf(state) : undefined;
  const input = defined({ machine, command, instance, until, countsFrom, written, heardAt, now });
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

function idsOf(state: MachineState): Instance | undefined {
  const { providerID, nodeName } = instanceOf(state) ?? {};
  return providerID === undefined || nodeName === undefined ? undefined : { providerID, nodeName };
}

function noteCommand(
  state: MachineState,
  { verb }: MachineCommand,
  until: number | undefined,
): void {
  // Machine and Node are read again.
  if (isOfUpdate(verb)) forgetClock(state);
  if (verb === 'retryNow') {
    retryFailureNow(state);
    if (knownHoldOf(state)) checkHooksSoon(state);
    tryNow(state.requeues.drainPreserved);
    retryInPlaceNow(state);
  }
  if (verb === 'forceDelete') noteForce(state);
  if (verb === 'skipDrain') skipDrain(state);
  if (verb === 'skipVolumeWait') noteDrainOptions(state, { skipsVolumeWait: true });
  if (until === undefined) return;
  noteDrainOptions(state, { until });
  forgetReportedDeadline(state);
}
