import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
} from '@temporalio/workflow';
import type {
  FinalCheck,
  ProtectionActivities,
  ProtectionOutcome,
} from '../contracts/safety-activities.ts';
import type { WorkflowInput } from '../contracts/references.ts';
import { useChanged } from '../contracts/messages.ts';
import { ObjectLifecycle } from '../runtime/object-lifecycle.ts';
import { requireInput } from '../runtime/signal-validation.ts';
import { snapshotVersion } from '../contracts/snapshots.ts';
import { checkFinallyExternal } from '../safety/external-drivers.ts';
import { messageOf, orphanCheck, localFirst } from '../runtime/activity-options.ts';

/** Between two checks of what keeps a class that is being deleted. */
const checkAgainMs = 30_000;
/**
 * Gardener waits 5 minutes for Machines and their classes together. Classes that are left after
 * these three are for a person.
 */
const longestWaitMs = 3 * 60_000;
/** A cloud that refuses the check may refuse it for ever. */
const failedChecksMax = 3;

type Resource = Parameters<ProtectionActivities['protectFromDeletion']>[0]['resource'];

/**
 * A Secret that a class uses carries a finalizer. Runs once for each change of use, for seconds.
 */
export async function secret(input: WorkflowInput): Promise<void> {
  requireInput(input);
  const lifecycle = new ObjectLifecycle(input);
  lifecycle.on(useChanged, snapshotVersion, () => true);
  const protection = new Protection(input, 'secrets');
  await lifecycle.run(async () => {
    lifecycle.takeNews();
    const isDone = await protection.check(() => lifecycle.hasNews);
    return isDone && !lifecycle.hasNews ? 'done' : undefined;
  });
}

/**
 * A MachineClass that Machines use, and a Secret that a class uses, carry a finalizer, so that none
 * of them goes while an instance still needs its credentials to be deleted.
 */
export class Protection {
  readonly #input: WorkflowInput;
  readonly #resource: Resource;
  #deadline: number | undefined;
  #failedChecks = 0;

  constructor(input: WorkflowInput, resource: Resource) {
    this.#input = input;
    this.#resource = resource;
  }

  /**
   * False: check again. `isInterrupted` ends the wait while instances without a Machine keep a
   * class that is being deleted.
   */
  async check(isInterrupted: () => boolean): Promise<boolean> {
    const { checkFirst } = await this.#set();
    if (!checkFirst) return true;
    if (checkFirst.isDeleting) this.#deadline ??= Date.now() + longestWaitMs;
    const check = await checkFinally(this.#input, checkFirst, this.#remainingMs());
    const problem = problemOf(check);
    this.#failedChecks += check.error === undefined ? 0 : 1;
    if (problem === undefined) await this.#set({});
    else if (checkFirst.isDeleting && this.#isOver()) await this.#set({ problem });
    else if (checkFirst.isDeleting) {
      setCurrentDetails(`### MachineClass ${this.#input.ref.name} waits\n- ${problem}`);
      await condition(isInterrupted, Math.min(checkAgainMs, this.#remainingMs()));
      return false;
    }
    return true;
  }

  #isOver(): boolean {
    return this.#remainingMs() === 0 || this.#failedChecks >= failedChecksMax;
  }

  #remainingMs(): number {
    if (this.#deadline === undefined) return longestWaitMs;
    return Math.max(this.#deadline - Date.now(), 0);
  }

  async #set(finalCheck?: { problem?: string }): Promise<ProtectionOutcome> {
    const { ref } = this.#input;
    const change = { resource: this.#resource, ref, ...(finalCheck && { finalCheck }) };
    return await localFirst((steps) => steps.protectFromDeletion(change), `check ${ref.name}`);
  }
}

type FirstCheck = NonNullable<ProtectionOutcome['checkFirst']>;

/** A check that hangs ends with the time that is left for it. */
async function checkFinally(
  input: WorkflowInput,
  checkFirst: FirstCheck,
  remainingMs: number,
): Promise<FinalCheck> {
  try {
    return await CancellationScope.withTimeout(Math.max(remainingMs, 1), () =>
      listLast(input, checkFirst),
    );
  } catch (error) {
    const words = isCancellation(error) ? 'no answer in time' : messageOf(error);
    return { left: 0, examples: [], error: words };
  }
}

async function listLast(
  { ref, cluster }: WorkflowInput,
  { provider, isExternal }: FirstCheck,
): Promise<FinalCheck> {
  const { namespace, name: className } = ref;
  const request = { namespace, cluster, provider, className };
  if (isExternal) return await checkFinallyExternal(request);
  const steps = orphanCheck(provider, {
    call: 'read',
    summary: `last check with the credentials of ${className}`,
  });
  return await steps.checkFinally(request);
}

function problemOf({ left, examples, error }: FinalCheck): string | undefined {
  if (error !== undefined) return `its instances cannot be listed: ${error}`;
  if (left === 0) return undefined;
  return `${left} instances without a Machine need its credentials: ${examples.join(', ')}. Delete them, or wait for the check safety/orphans`;
}
