/** A step that the loop waits for, and that may be tried for hours while signals come in. */
import { CancellationScope, condition, TemporalFailure } from '@temporalio/workflow';
import { shouldInterruptStep } from './continue-as-new.ts';

/**
 * Undefined: it was cancelled, and has ended, so that this run can continue as new. `step` has to
 * wait for the end of what it cancels.
 */
export async function interruptible<Outcome>(
  step: () => Promise<Outcome>,
): Promise<Outcome | undefined> {
  const scope = new CancellationScope();
  let [hasEnded, isCancelled] = [false, false];
  const outcome = scope.run(step).finally(() => {
    hasEnded = true;
  });
  // It is awaited below, and may fail before.
  outcome.catch(() => undefined);
  await condition(() => hasEnded || shouldInterruptStep());
  if (!hasEnded) {
    isCancelled = true;
    scope.cancel();
  }
  try {
    return await outcome;
  } catch (error) {
    // A step that we cancelled may end in any kind of failure.
    if (isCancelled && error instanceof TemporalFailure) return undefined;
    throw error;
  }
}
