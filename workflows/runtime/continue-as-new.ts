import { workflowInfo } from '@temporalio/workflow';
import { hasGrownLong } from '../plan/history-length.ts';

/** True when this run should continue as new as soon as nothing is in flight. */
export function shouldContinueAsNew(): boolean {
  return hasGrownLong(workflowInfo());
}

/**
 * A step may run for days, as a drain does, and signals come in meanwhile: the server ends a run of
 * 51,200 events.
 */
const mostEventsBesideStep = 4_000;

/** True when the step that runs has to be interrupted, so that this run can continue as new. */
export function shouldInterruptStep(): boolean {
  return workflowInfo().historyLength >= mostEventsBesideStep;
}

/**
 * State that the run before handed over. None after a run that failed: what it did in between is
 * unknown, and objects and instances say everything that is needed to go on.
 */
export function carriedState<State>(state: State | undefined): State | undefined {
  return followsFailedRun() ? undefined : state;
}

/** The run before this one failed: what it did, and the signals that it got, are lost. */
export function followsFailedRun(): boolean {
  return workflowInfo().attempt > 1;
}
