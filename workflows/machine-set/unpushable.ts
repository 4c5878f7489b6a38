/** Machines that do not take the template of their set, from push to push. */
import type { Unpushable } from '../contracts/machine-set-activities.ts';
import type { Attempt } from '../plan/requeues.ts';
import { failed, forget } from '../plan/requeues.ts';
import { defined } from '../values/defined.ts';
import type { MachineSetState } from './state.ts';

/** `tried`: names of the machines that the push was for. */
export function notePush(
  state: Pick<MachineSetState, 'requeues' | 'unpushable'>,
  { tried, outcome }: { tried: readonly string[]; outcome: Unpushable },
  attempt: Attempt,
): void {
  const before = state.unpushable?.generation === outcome.generation ? state.unpushable : undefined;
  const others = before?.names.filter((name) => !tried.includes(name)) ?? [];
  const names = [...others, ...outcome.names];
  const { generation, error = before?.error, mayPass } = outcome;
  delete state.unpushable;
  if (names.length > 0) state.unpushable = defined({ generation, names, error });
  if (!before || names.length === 0 || (others.length === 0 && !mayPass)) {
    forget(state.requeues, 'push');
  }
  if (mayPass) failed(state.requeues, 'push', { message: error ?? '', ...attempt });
}
