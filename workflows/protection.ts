import { CancellationScope } from '@temporalio/workflow';
import type { EntityInput } from './messages.ts';
import { useChanged } from './messages.ts';
import { isOfOurCluster } from './own-cluster.ts';
import { hear, requireInput, sighting } from './payloads.ts';
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
  requireInput(input);
  let mustLook = true;
  hear(useChanged, sighting, (signal) => {
    if (isOfOurCluster(signal, input)) mustLook = true;
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
