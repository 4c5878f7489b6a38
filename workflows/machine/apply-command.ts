/** Does what somebody asked of a machine: first on the object, then in the state. */
import type { LifeRef } from '../contracts/references.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import { skipDrain } from './phase.ts';
import type { MachineState } from './state.ts';
import { drainBeganAt, drainDeadlineOf, drainOptionsOf } from './state.ts';
import type { MachineCommand } from '../contracts/commands.ts';
import { defined } from '../values/defined.ts';
import { shortStep } from '../runtime/activity-options.ts';

/** Returns what was done, in words. A drain that runs has to be begun again afterwards. */
export async function steer(
  state: MachineState,
  machine: LifeRef,
  command: MachineCommand,
): Promise<string> {
  // Absolute, so that a step that runs twice does not extend twice.
  const until =
    command.verb === 'extendDrain' ? drainDeadlineOf(state) + command.minutes * 60_000 : undefined;
  const countsFrom = until === undefined ? undefined : drainBeganAt(state);
  const input = defined({ machine, command, until, countsFrom });
  const words = await shortStep((steps) => steps.steerMachine(input), command.verb);
  apply(state, command, until);
  return words;
}

function apply(state: MachineState, { verb }: MachineCommand, until: number | undefined): void {
  const { observed } = state;
  if (verb === 'retryNow') retryNow(state);
  if (verb === 'forceDelete' && observed) observed.forceDeletion = true;
  if (verb === 'skipDrain') skipDrain(state);
  if (verb === 'skipVolumeWait') note(state, { skipsVolumeWait: true });
  if (until === undefined) return;
  note(state, { until });
  // What the drain that is cancelled now made of it.
  delete state.drain?.deadline;
}

function retryNow({ failure, preservation }: MachineState): void {
  if (failure) failure.retryAt = 0;
  if (preservation?.drain) delete preservation.drain.retryAt;
}

/** As the watcher will tell it: that is no news then. */
function note(state: MachineState, change: DrainOptions): void {
  if (state.observed) state.observed.drain = { ...drainOptionsOf(state), ...change };
}
