/** The drain that runs: what it reported. */
import type { DrainReport } from '../contracts/drain-activities.ts';
import { digestOfBlockers } from '../plan/drain/report.ts';
import { noteTaken } from './cloud-operation.ts';
import { keptDrainOf, shownDrainDeadlineOf } from './deadlines.ts';
import { showDrain } from './phase.ts';
import type { MachineState } from './state.ts';

/** Returns whether the drain that runs found other things in the way than before. */
export function observeDrain(state: MachineState, report: DrainReport): boolean {
  if (report.uid !== state.object.uid || !isBeingDrained(state)) return false;
  const { blockers = [], deadline } = state.drain ?? {};
  state.drain = report;
  noteTaken(state);
  return (
    deadline !== report.deadline || digestOfBlockers(blockers) !== digestOfBlockers(report.blockers)
  );
}

/**
 * The drain begins anew with another deadline: what the one that is cancelled made of its own is of
 * no use.
 */
export function forgetReportedDeadline({ drain }: MachineState): void {
  delete drain?.deadline;
}

export function endDrain(state: MachineState): void {
  const wasBlocked = (state.drain?.blockers ?? []).length > 0;
  delete state.drain;
  if (wasBlocked) showDrain(state);
}

/** Because it goes, has failed and is kept for inspection, or is updated in place. */
export function isBeingDrained(state: MachineState): boolean {
  if (state.teardown) return state.teardown.stage === 'draining';
  return keptDrainOf(state)?.isDone === false;
}

/** For the query `drain`; undefined while nothing is drained. */
export function drainView(state: MachineState): object | undefined {
  if (!isBeingDrained(state)) return undefined;
  const { podsLeft, blockers = [], blockerCount, volumeWait } = state.drain ?? {};
  const deadline = shownDrainDeadlineOf(state);
  return { isBlocked: blockers.length > 0, podsLeft, blockers, blockerCount, volumeWait, deadline };
}
