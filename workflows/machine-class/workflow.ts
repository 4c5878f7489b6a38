import type { Occasion } from './validation.ts';
import { validateMachineClass } from './validation.ts';
import type { WorkflowInput } from '../contracts/references.ts';
import { classChanged, useChanged } from '../contracts/messages.ts';
import { ObjectLifecycle } from '../runtime/object-lifecycle.ts';
import { requireInput } from '../runtime/signal-validation.ts';
import { classSnapshot, snapshotVersion } from '../contracts/snapshots.ts';
import { Protection } from './protection.ts';

/**
 * Says what is wrong with a MachineClass when it or its Secrets changed, and protects it from
 * deletion while it is used. Runs once for each change, for seconds; for longer only while no
 * worker serves its provider, or while instances without a Machine keep a class that is being
 * deleted.
 */
export async function machineClass(input: WorkflowInput): Promise<void> {
  requireInput(input);
  let mustProtect = true;
  let toValidate: Pick<Occasion, 'isEdited'> | undefined;
  const validateSoon = (isEdited: boolean): void => {
    toValidate = { isEdited: isEdited || (toValidate?.isEdited ?? false) };
  };
  const lifecycle = new ObjectLifecycle(input);
  lifecycle.on(useChanged, snapshotVersion, () => {
    mustProtect = true;
    return true;
  });
  lifecycle.on(classChanged, classSnapshot, ({ isEdited = false }) => {
    validateSoon(isEdited);
    return true;
  });
  /**
   * By a signal only: each of the two may be left to be done again, which must not keep the other
   * from waiting.
   */
  const interruption = (): (() => boolean) => {
    lifecycle.takeNews();
    return () => lifecycle.hasNews;
  };
  const protection = new Protection(input, 'machineclasses');

  async function protect(): Promise<void> {
    mustProtect = false;
    if (!(await protection.check(interruption()))) mustProtect = true;
  }

  async function validate({ isEdited }: Pick<Occasion, 'isEdited'>): Promise<void> {
    toValidate = undefined;
    const isDone = await validateMachineClass(input, { isEdited, isInterrupted: interruption() });
    if (!isDone) validateSoon(isEdited);
  }

  await lifecycle.run(async () => {
    // First, as the other waits for hours while no worker serves the provider.
    if (mustProtect) await protect();
    if (toValidate) await validate(toValidate);
    return mustProtect || toValidate ? undefined : 'done';
  });
}
