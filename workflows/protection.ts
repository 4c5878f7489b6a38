import { CancellationScope, log, setHandler } from '@temporalio/workflow';
import type { EntityInput } from './messages.ts';
import { useChanged } from './messages.ts';
import { shortStep } from './steps.ts';

/**
 * A MachineClass that Machines use, and a Secret that a class uses, carry a finalizer, so that none of them goes while an
 * instance still needs its credentials to be deleted. Runs once for each change of use, for seconds.
 */
export async function machineClass(input: EntityInput): Promise<void> {
  await protect(input, 'machineclasses');
}

export async function secret(input: EntityInput): Promise<void> {
  await protect(input, 'secrets');
}

async function protect(input: EntityInput, resource: 'machineclasses' | 'secrets'): Promise<void> {
  let mustLook = true;
  setHandler(useChanged, ({ cluster }) => {
    if (cluster === input.cluster) mustLook = true;
    else log.error('signal of another cluster refused', { cluster });
  });
  await CancellationScope.nonCancellable(async () => {
    while (mustLook) {
      mustLook = false;
      const { ref } = input;
      await shortStep(
        (steps) => steps.protectFromDeletion({ resource, ref }),
        `look at ${ref.name}`,
      );
    }
  });
}
