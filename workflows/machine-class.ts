import { CancellationScope } from '@temporalio/workflow';
import type { Occasion } from './class-judgement.ts';
import { judgeClass } from './class-judgement.ts';
import type { EntityInput } from './messages.ts';
import { classChanged, useChanged } from './messages.ts';
import { isOfOurCluster } from './own-cluster.ts';
import { classSnapshot, hear, requireInput, sighting } from './payloads.ts';
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
  const judgeSoon = (isEdited: boolean): void => {
    toJudge = { isEdited: isEdited || (toJudge?.isEdited ?? false) };
  };
  hear(useChanged, sighting, (seen) => {
    if (isOfOurCluster(seen, input)) mustProtect = true;
  });
  hear(classChanged, classSnapshot, (seen) => {
    if (isOfOurCluster(seen, input)) judgeSoon(seen.isEdited ?? false);
  });
  const isInterrupted = (): boolean => mustProtect || toJudge !== undefined;
  const protection = new Protection(input, 'machineclasses', isInterrupted);

  async function judge({ isEdited }: Pick<Occasion, 'isEdited'>): Promise<void> {
    toJudge = undefined;
    if (!(await judgeClass(input, { isEdited, isInterrupted }))) judgeSoon(isEdited);
  }

  await CancellationScope.nonCancellable(async () => {
    while (isInterrupted()) {
      if (mustProtect) {
        mustProtect = false;
        if (!(await protection.look())) mustProtect = true;
      }
      if (toJudge) await judge(toJudge);
    }
  });
}
