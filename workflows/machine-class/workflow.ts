import { CancellationScope } from '@temporalio/workflow';
import type { Occasion } from './validation.ts';
import { judgeClass } from './validation.ts';
import type { EntityInput } from '../contracts/references.ts';
import { classChanged, useChanged } from '../contracts/messages.ts';
import { isOfOurCluster } from '../runtime/cluster-guard.ts';
import { classSnapshot, hear, requireInput, sighting } from '../runtime/signal-validation.ts';
import { Protection } from './protection.ts';

/**
 * Says what is wrong with a MachineClass when it or its Secrets changed, and protects it from deletion while it is used. Runs once for
 * each change, for seconds; for longer only while nobody serves its provider, or while instances without a Machine keep
 * a class that is being deleted.
 */
export async function machineClass(input: EntityInput): Promise<void> {
  requireInput(input);
  let mustProtect = true;
  let toJudge: Pick<Occasion, 'isEdited'> | undefined;
  let signals = 0;
  const judgeSoon = (isEdited: boolean): void => {
    toJudge = { isEdited: isEdited || (toJudge?.isEdited ?? false) };
  };
  hear(useChanged, sighting, (seen) => {
    if (!isOfOurCluster(seen, input)) return;
    signals += 1;
    mustProtect = true;
  });
  hear(classChanged, classSnapshot, (seen) => {
    if (!isOfOurCluster(seen, input)) return;
    signals += 1;
    judgeSoon(seen.isEdited ?? false);
  });
  /** By a signal only: each of the two may be left to be done again, which must not keep the other from waiting. */
  const interruption = (): (() => boolean) => {
    const before = signals;
    return () => signals > before;
  };
  const protection = new Protection(input, 'machineclasses');

  async function protect(): Promise<void> {
    mustProtect = false;
    if (!(await protection.look(interruption()))) mustProtect = true;
  }

  async function judge({ isEdited }: Pick<Occasion, 'isEdited'>): Promise<void> {
    toJudge = undefined;
    const isDone = await judgeClass(input, { isEdited, isInterrupted: interruption() });
    if (!isDone) judgeSoon(isEdited);
  }

  await CancellationScope.nonCancellable(async () => {
    while (mustProtect || toJudge) {
      // First, as the other waits for hours while nobody serves the provider.
      if (mustProtect) await protect();
      if (toJudge) await judge(toJudge);
    }
  });
}
