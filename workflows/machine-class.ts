import { CancellationScope } from '@temporalio/workflow';
import { judgeClass } from './class-judgement.ts';
import type { EntityInput, Sighting } from './messages.ts';
import { classChanged, useChanged } from './messages.ts';
import { isOfOurCluster } from './own-cluster.ts';
import { hear, requireInput, sighting } from './payloads.ts';
import { Protection } from './protection.ts';

/**
 * Says what is wrong with a MachineClass when it or its Secrets changed, and protects it from deletion while it is used. Runs once for
 * each change, for seconds; for longer only while nobody serves its provider, or while instances without a Machine keep
 * a class that is being deleted.
 */
export async function machineClass(input: EntityInput): Promise<void> {
  requireInput(input);
  let mustProtect = true;
  let mustJudge = false;
  const ofOurs = (take: () => void) => (signal: Sighting) => {
    if (isOfOurCluster(signal, input)) take();
  };
  hear(
    useChanged,
    sighting,
    ofOurs(() => (mustProtect = true)),
  );
  hear(
    classChanged,
    sighting,
    ofOurs(() => (mustJudge = true)),
  );
  const hasWork = (): boolean => mustProtect || mustJudge;
  const protection = new Protection(input, 'machineclasses', hasWork);

  await CancellationScope.nonCancellable(async () => {
    while (hasWork()) {
      if (mustProtect) {
        mustProtect = false;
        if (!(await protection.look())) mustProtect = true;
      }
      if (mustJudge) {
        mustJudge = false;
        if (!(await judgeClass(input, hasWork))) mustJudge = true;
      }
    }
  });
}
