/** Input of a MachineSet's workflow to a read. */
import type { ObserveSetInput } from '../contracts/machine-set-activities.ts';
import type { MachineSetState } from './state.ts';
import type { NamespacedName } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';
import { isHeld } from '../plan/requeues.ts';

/** `mayFollow`: a batch may follow at once. */
export function observeInputOf(
  set: NamespacedName,
  state: MachineSetState,
  { now, mayFollow }: { now: number; mayFollow: boolean },
): ObserveSetInput {
  const { unmatched, unpushable, requeues, churn } = state;
  const { create, refused, push } = requeues;
  const isPushDue = push !== undefined && push.retryAt <= now;
  return defined({
    set,
    ...signalledVersions(state),
    now,
    churn,
    error: create?.message,
    unmatched: unmatched?.names,
    unpushable: isPushDue ? undefined : unpushable,
    // After an error the next batch may be a while off.
    batchSize: !create && mayFollow ? state.batchSize : undefined,
    passOver: isHeld(requeues, 'refused', now) ? refused?.names : undefined,
    refusal: refused && { reason: refused.reason, message: refused.message },
  });
}

function signalledVersions({ mustRead, observed, changed }: MachineSetState) {
  if (mustRead) return {};
  return { atLeast: observed?.resourceVersion, machinesAtLeast: changed?.resourceVersion };
}
