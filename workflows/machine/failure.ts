/** What a failed step means for its machine: how long it is left alone, and what is said of it. */
import type { MachinePhase } from '../api/phases.ts';
import type { MachineState } from './state.ts';
import { backoffSeconds, hasOwnPace } from '../plan/machine/backoff.ts';
import { defined } from '../values/defined.ts';
import type { StepFailure } from '../plan/machine/facts.ts';

export function nextFailure(
  { failure: before, prepared }: MachineState,
  detail: StepFailure,
  operation: 'Create' | 'Delete',
): NonNullable<MachineState['failure']> {
  // A deletion needs no room.
  const resourceExhaustedRetrySeconds =
    operation === 'Create' ? (prepared?.limits.resourceExhaustedRetrySeconds ?? 600) : undefined;
  const pace = defined({ failure: detail, resourceExhaustedRetrySeconds });
  const unpaced = (before?.unpaced ?? 0) + (hasOwnPace(pace) ? 0 : 1);
  const wait = backoffSeconds({ ...pace, attempts: unpaced, random: Math.random() });
  const attempts = (before?.attempts ?? 0) + 1;
  return { detail, attempts, unpaced, retryAt: Date.now() + wait * 1000 };
}

/** A machine that ran out of time stays Failed, however often it tries. */
export function phaseOfFailure(operation: 'Create' | 'Delete', phase: MachinePhase): MachinePhase {
  if (operation === 'Delete') return 'Terminating';
  return phase === 'Failed' ? 'Failed' : 'CrashLoopBackOff';
}
