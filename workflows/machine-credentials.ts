/** A cloud that takes credentials which it refused before: said on the MachineClass, so that the others try again at once. */
import { CancellationScope } from '@temporalio/workflow';
import type { MachineState } from './machine-state.ts';
import { shortStep } from './steps.ts';

/** A call to the cloud with the class of this machine has succeeded. */
export async function endFailure(state: MachineState, namespace: string): Promise<void> {
  const { prepared, failure } = state;
  delete state.failure;
  const wasRefused = failure?.detail.kind === 'credentials' || prepared?.isClassRefused;
  if (!prepared || !wasRefused) return;
  // Said once.
  delete prepared.isClassRefused;
  const ref = { namespace, name: prepared.className };
  await CancellationScope.nonCancellable(() =>
    shortStep((steps) => steps.reportAcceptance({ ref }), `credentials of ${ref.name} work`),
  );
}
