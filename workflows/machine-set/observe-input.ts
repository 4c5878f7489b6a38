/** Input of a MachineSet's workflow to a read. */
import type { ObserveSetInput } from '../contracts/machine-set-activities.ts';
import type { MachineSetState } from './state.ts';
import type { NamespacedName } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';
import { isPushDue } from './unpushable.ts';
import { areHeldBack } from '../plan/machine-set/refused-machines.ts';

/** `mayFollow`: a batch may follow at once. */
export function observeInputOf(
  set: NamespacedName,
  state: MachineSetState,
  { now, mayFollow }: { now: number; mayFollow: boolean },
): ObserveSetInput {
  const { lastError: error, unmatched, unpushable, refused, churn } = state;
  return defined({
    set,
    ...signalledVersions(state),
    now,
    churn,
    error,
    unmatched: unmatched?.names,
    unpushable: unpushable && !isPushDue(unpushable, now) ? unpushable : undefined,
    // After an error the next batch may be a while off.
    batchSize: error === undefined && mayFollow ? state.batchSize : undefined,
    passOver: areHeldBack(refused, now) ? refused?.names : undefined,
    refusal: refused && { reason: refused.reason, message: refused.message },
  });
}

function signalledVersions({ mustRead, observed, changed }: MachineSetState) {
  if (mustRead) return {};
  return { atLeast: observed?.resourceVersion, machinesAtLeast: changed?.resourceVersion };
}
