import { CancellationScope, condition, setCurrentDetails } from '@temporalio/workflow';
import type { LastLook, ProtectionOutcome } from './activities.ts';
import type { EntityInput } from './messages.ts';
import { useChanged } from './messages.ts';
import { isOfOurCluster } from './own-cluster.ts';
import { hear, requireInput, sighting } from './payloads.ts';
import { lookLastAtForeign } from './safety-foreign.ts';
import { messageOf, orphanSteps, shortStep } from './steps.ts';

/** Between two looks at what keeps a class that is being deleted. */
const lookAgain = '30s';
/** Two searches for orphans delete what they may within that; what is left then is for a person. */
const longestWaitMs = 60 * 60_000;
/** A cloud that does not let us look may never do so again. */
const failedLooksMax = 3;

/**
 * A MachineClass that Machines use, and a Secret that a class uses, carry a finalizer, so that none of them goes while an
 * instance still needs its credentials to be deleted. Runs once for each change of use, for seconds; for longer only while instances without
 * a Machine keep a class that is being deleted.
 */
export async function machineClass(input: EntityInput): Promise<void> {
  await protect(input, 'machineclasses');
}

export async function secret(input: EntityInput): Promise<void> {
  await protect(input, 'secrets');
}

async function protect(input: EntityInput, resource: 'machineclasses' | 'secrets'): Promise<void> {
  const { ref } = requireInput(input);
  let mustLook = true;
  hear(useChanged, sighting, (signal) => {
    if (isOfOurCluster(signal, input)) mustLook = true;
  });
  const since = Date.now();
  let failedLooks = 0;

  async function set(lastLook?: { problem?: string }): Promise<ProtectionOutcome> {
    const change = { resource, ref, ...(lastLook && { lastLook }) };
    return await shortStep((steps) => steps.protectFromDeletion(change), `look at ${ref.name}`);
  }

  await CancellationScope.nonCancellable(async () => {
    while (mustLook) {
      mustLook = false;
      const { looksFirst } = await set();
      if (!looksFirst) continue;
      const look = await lookLast(input, looksFirst);
      const problem = problemOf(look);
      failedLooks += look.error === undefined ? 0 : 1;
      const isOver = Date.now() - since > longestWaitMs || failedLooks >= failedLooksMax;
      if (problem === undefined) await set({});
      else if (looksFirst.isDeleting && isOver) await set({ problem });
      else if (looksFirst.isDeleting) {
        setCurrentDetails(`### MachineClass ${ref.name} waits\n- ${problem}`);
        await condition(() => mustLook, lookAgain);
        mustLook = true;
      }
    }
  });
}

async function lookLast(
  { ref, cluster }: EntityInput,
  { provider, isForeign }: NonNullable<ProtectionOutcome['looksFirst']>,
): Promise<LastLook> {
  const { namespace, name: className } = ref;
  const request = { namespace, cluster, provider, className };
  try {
    if (isForeign) return await lookLastAtForeign(request);
    const steps = orphanSteps(provider, `last look with the credentials of ${className}`);
    return await steps.lookLast(request);
  } catch (error) {
    return { left: 0, examples: [], error: messageOf(error) };
  }
}

function problemOf({ left, examples, error }: LastLook): string | undefined {
  if (error !== undefined) return `its instances cannot be listed: ${error}`;
  if (left === 0) return undefined;
  return `${left} instances without a Machine need its credentials: ${examples.join(', ')}. Delete them, or wait for the check safety/orphans`;
}
