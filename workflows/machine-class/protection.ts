import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
} from '@temporalio/workflow';
import type {
  LastLook,
  ProtectionActivities,
  ProtectionOutcome,
} from '../contracts/safety-activities.ts';
import type { EntityInput } from '../contracts/references.ts';
import { useChanged } from '../contracts/messages.ts';
import { isOfOurCluster } from '../runtime/cluster-guard.ts';
import { hear, requireInput, sighting } from '../runtime/signal-validation.ts';
import { lookLastAtForeign } from '../safety/external-drivers.ts';
import { messageOf, orphanSteps, shortStep } from '../runtime/activity-options.ts';

/** Between two looks at what keeps a class that is being deleted. */
const lookAgainMs = 30_000;
/** Gardener waits 5 minutes for Machines and their classes together. What is left after these three is for a person. */
const longestWaitMs = 3 * 60_000;
/** A cloud that does not let us look may never do so again. */
const failedLooksMax = 3;

type Resource = Parameters<ProtectionActivities['protectFromDeletion']>[0]['resource'];

/** A Secret that a class uses carries a finalizer. Runs once for each change of use, for seconds. */
export async function secret(input: EntityInput): Promise<void> {
  requireInput(input);
  let mustLook = true;
  hear(useChanged, sighting, (signal) => {
    if (isOfOurCluster(signal, input)) mustLook = true;
  });
  const protection = new Protection(input, 'secrets');
  await CancellationScope.nonCancellable(async () => {
    while (mustLook) {
      mustLook = false;
      if (!(await protection.look(() => mustLook))) mustLook = true;
    }
  });
}

/**
 * A MachineClass that Machines use, and a Secret that a class uses, carry a finalizer, so that none of them goes while an
 * instance still needs its credentials to be deleted.
 */
export class Protection {
  readonly #input: EntityInput;
  readonly #resource: Resource;
  #deadline: number | undefined;
  #failedLooks = 0;

  constructor(input: EntityInput, resource: Resource) {
    this.#input = input;
    this.#resource = resource;
  }

  /** False: look again. `isInterrupted` ends the wait while instances without a Machine keep a class that is being deleted. */
  async look(isInterrupted: () => boolean): Promise<boolean> {
    const { looksFirst } = await this.#set();
    if (!looksFirst) return true;
    if (looksFirst.isDeleting) this.#deadline ??= Date.now() + longestWaitMs;
    const look = await lookLast(this.#input, looksFirst, this.#remainingMs());
    const problem = problemOf(look);
    this.#failedLooks += look.error === undefined ? 0 : 1;
    if (problem === undefined) await this.#set({});
    else if (looksFirst.isDeleting && this.#isOver()) await this.#set({ problem });
    else if (looksFirst.isDeleting) {
      setCurrentDetails(`### MachineClass ${this.#input.ref.name} waits\n- ${problem}`);
      await condition(isInterrupted, Math.min(lookAgainMs, this.#remainingMs()));
      return false;
    }
    return true;
  }

  #isOver(): boolean {
    return this.#remainingMs() === 0 || this.#failedLooks >= failedLooksMax;
  }

  #remainingMs(): number {
    if (this.#deadline === undefined) return longestWaitMs;
    return Math.max(this.#deadline - Date.now(), 0);
  }

  async #set(lastLook?: { problem?: string }): Promise<ProtectionOutcome> {
    const { ref } = this.#input;
    const change = { resource: this.#resource, ref, ...(lastLook && { lastLook }) };
    return await shortStep((steps) => steps.protectFromDeletion(change), `look at ${ref.name}`);
  }
}

type LooksFirst = NonNullable<ProtectionOutcome['looksFirst']>;

/** A look that hangs ends with the time that is left for it. */
async function lookLast(
  input: EntityInput,
  looksFirst: LooksFirst,
  remainingMs: number,
): Promise<LastLook> {
  try {
    return await CancellationScope.withTimeout(Math.max(remainingMs, 1), () =>
      listLast(input, looksFirst),
    );
  } catch (error) {
    const words = isCancellation(error) ? 'no answer in time' : messageOf(error);
    return { left: 0, examples: [], error: words };
  }
}

async function listLast(
  { ref, cluster }: EntityInput,
  { provider, isForeign }: LooksFirst,
): Promise<LastLook> {
  const { namespace, name: className } = ref;
  const request = { namespace, cluster, provider, className };
  if (isForeign) return await lookLastAtForeign(request);
  const steps = orphanSteps(provider, {
    call: 'read',
    summary: `last look with the credentials of ${className}`,
  });
  return await steps.lookLast(request);
}

function problemOf({ left, examples, error }: LastLook): string | undefined {
  if (error !== undefined) return `its instances cannot be listed: ${error}`;
  if (left === 0) return undefined;
  return `${left} instances without a Machine need its credentials: ${examples.join(', ')}. Delete them, or wait for the check safety/orphans`;
}
