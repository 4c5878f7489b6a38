/** A cloud that takes credentials which it refused before: said on the MachineClass, so that the others try again at once. */
import { CancellationScope, log } from '@temporalio/workflow';
import type { MachineState } from './state.ts';
import { messageOf, shortStep } from '../runtime/activity-options.ts';

/** A call to the cloud with the class of this machine has succeeded. */
export async function endFailure(state: MachineState, namespace: string): Promise<void> {
  const { prepared, failure } = state;
  delete state.failure;
  const wasRefused = failure?.detail.kind === 'credentials' || prepared?.isClassRefused;
  if (!prepared || !wasRefused) return;
  // Said once.
  delete prepared.isClassRefused;
  const ref = { namespace, name: prepared.className };
  try {
    await CancellationScope.nonCancellable(() =>
      shortStep((steps) => steps.reportAcceptance({ ref }), `credentials of ${ref.name} work`),
    );
  } catch (error) {
    // The machine goes on: the next one that the cloud accepts says it.
    log.warn('the class could not be told that its credentials work', { reason: messageOf(error) });
  }
}
