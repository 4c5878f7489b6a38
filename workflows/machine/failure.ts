/** A failed step: how long its machine is left alone, and what is said of it. */
import type { MachinePhase } from '../api/phases.ts';
import { backoffSeconds, hasOwnPace } from '../plan/machine/backoff.ts';
import type { StepFailure } from '../plan/machine/facts.ts';
import { defined } from '../values/defined.ts';
import { setPhase } from './phase.ts';
import type { FailureState, MachineState } from './state.ts';

/** How many steps failed in a row, where the last one failed there; else 0. */
export function failuresAt({ failure }: MachineState, during: StepFailure['during']): number {
  return failure && failure.detail.during === during ? failure.attempts : 0;
}

/**
 * Plans the next attempt. The next step reports the failure on the object. Where the spec or the
 * class was edited during the attempt, its signal is over, and the next attempt is due at once.
 */
export function noteFailure(
  state: MachineState,
  detail: StepFailure,
  operation: FailureState['operation'],
): void {
  const { failure: before } = state;
  // A deletion needs no room.
  const resourceExhaustedRetrySeconds =
    operation === 'Create'
      ? (state.object.prepared?.limits.resourceExhaustedRetrySeconds ?? 600)
      : undefined;
  const pace = defined({ failure: detail, resourceExhaustedRetrySeconds });
  const unpaced = (before?.unpaced ?? 0) + (hasOwnPace(pace) ? 0 : 1);
  const wait = backoffSeconds({ ...pace, attempts: unpaced, random: Math.random() });
  const attempts = (before?.attempts ?? 0) + 1;
  const retryAt = state.object.isStale ? 0 : Date.now() + wait * 1000;
  state.failure = { detail, attempts, unpaced, retryAt, operation, isReported: false };
  setPhase(state, phaseOfFailure(operation, state.phase));
}

/** A machine that ran out of time stays Failed, however often it tries. */
function phaseOfFailure(operation: FailureState['operation'], phase: MachinePhase): MachinePhase {
  if (operation === 'Delete') return 'Terminating';
  return phase === 'Failed' ? 'Failed' : 'CrashLoopBackOff';
}

export function noteFailureReported({ failure }: MachineState): void {
  if (failure) failure.isReported = true;
}

export function retryFailureNow({ failure }: MachineState): void {
  if (failure) failure.retryAt = 0;
}

/** A call to the cloud went well, or a deletion began. Returns what had failed before. */
export function clearFailure(state: MachineState): FailureState | undefined {
  const { failure } = state;
  delete state.failure;
  return failure;
}
