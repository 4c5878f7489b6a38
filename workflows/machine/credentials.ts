/**
 * A cloud that takes credentials which it refused before: said on the MachineClass, so that the
 * others try again at once.
 */
import { CancellationScope, log } from '@temporalio/workflow';
import { messageOf, localFirst } from '../runtime/activity-options.ts';
import { clearFailure } from './failure.ts';
import { takeClassRefusal } from './object.ts';
import type { MachineState } from './state.ts';

/** A call to the cloud with the class of this machine has succeeded. */
export async function endCloudFailure(state: MachineState, namespace: string): Promise<void> {
  const failure = clearFailure(state);
  const isSaidOnClass = takeClassRefusal(state);
  const { prepared } = state.object;
  const wasRefused = failure?.detail.kind === 'credentials' || isSaidOnClass;
  if (!prepared || !wasRefused) return;
  const ref = { namespace, name: prepared.className };
  try {
    await CancellationScope.nonCancellable(() =>
      localFirst((steps) => steps.reportAcceptance({ ref }), `credentials of ${ref.name} work`),
    );
  } catch (error) {
    // The machine goes on: the next one that the cloud accepts says it.
    log.warn('could not record on the class that its credentials work', {
      reason: messageOf(error),
    });
  }
}
