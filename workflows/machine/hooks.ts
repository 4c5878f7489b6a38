/** Hooks that hold up the deletion of a machine: those that are known, and the object's report. */
import type { HookFacts } from '../plan/machine/facts.ts';
import type { Hold } from '../plan/machine/hooks.ts';
import { digestOfHold, holdOf, partsToBegin } from '../plan/machine/hooks.ts';
import { localFirst } from '../runtime/activity-options.ts';
import { defined } from '../values/defined.ts';
import { markGone } from './object.ts';
import { showHold } from './phase.ts';
import { takeRead } from './restore.ts';
import type { MachineState } from './state.ts';
import type { StepContext } from './step-context.ts';

/** Undefined for a machine that is not being deleted. */
export function hookFactsOf(state: MachineState): HookFacts | undefined {
  const { teardown, object, hooks } = state;
  if (!teardown) return undefined;
  // A run that knows nothing of it may find that the object reports a hold.
  const isReportedOnObject = object.prepared?.heldSince !== undefined;
  return defined({
    known: object.observed?.hooks,
    isDrainBegun: isDrainBegun(state),
    reported: hooks?.reported,
    mustCheck: hooks?.mustCheck === true || isReportedOnObject !== (hooks?.reported !== undefined),
  });
}

/** A drain that only waits for a worker has not begun. */
function isDrainBegun({ teardown, drain }: MachineState): boolean {
  return teardown?.isDrainBegun === true || drain !== undefined;
}

/** As far as is known. */
export function knownHoldOf(state: MachineState): Hold | undefined {
  const { teardown, object } = state;
  if (!teardown) return undefined;
  return holdOf(object.observed?.hooks, partsToBegin(teardown.stage, isDrainBegun(state)));
}

/** A step was refused by hooks, which may be gone again by now; or a person wants it to be sure. */
export function checkHooksSoon(state: MachineState): void {
  state.hooks = { ...state.hooks, mustCheck: true };
}

/** A drain has begun, or was not necessary: what holds only a drain comes too late. */
export function noteDrainBegun(state: MachineState): void {
  if (state.teardown) state.teardown.isDrainBegun = true;
}

/** Reads the object, right before what hooks may hold, and after each change of them. */
export async function checkHooks(context: StepContext): Promise<void> {
  const { state, input } = context;
  if (!state.teardown) return;
  const parts = partsToBegin(state.teardown.stage, isDrainBegun(state));
  const request = { machine: context.machine(), parts };
  const { machine } = await localFirst((steps) => steps.checkHooks(request), 'read its hooks');
  if (!machine) {
    markGone(state);
    return;
  }
  takeRead(state, machine, input.cluster);
  const hold = holdOf(machine.hooks, parts);
  const reported = digestOfHold(hold);
  const isNews = reported !== state.hooks?.reported;
  state.hooks = defined({ reported });
  if (isNews) showHold(state, hold);
}

/**
 * Reports whether a hook holds the instance back from a driver that is another program: it does not
 * see the Machine. Drivers of ours read it themselves in each call. Too late for a deletion that
 * the cloud is at work on.
 */
export async function isHeldFromDriver(context: StepContext): Promise<boolean> {
  const { state } = context;
  const { object, operation } = state;
  const isBegun = operation?.name === 'Delete' && operation.checkpoint !== undefined;
  if (!object.prepared?.hasExternalDriver || object.isGone || isBegun) return false;
  await checkHooks(context);
  return object.isGone || knownHoldOf(state) !== undefined;
}
