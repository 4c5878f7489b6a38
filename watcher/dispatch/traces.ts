/** Which signals begin an operation that is traced, and what brought it about. */
import type { DispatchContext } from './context.ts';
import type { OperationOrigin, SignalTrace } from './signal.ts';
import type { MachineView, SetView } from '../cache/views.ts';

const phasesOfLaunch: readonly string[] = ['', 'Pending', 'CrashLoopBackOff'];

export function traceOfMachine(
  machine: MachineView,
  context: DispatchContext,
): SignalTrace | undefined {
  const { uid, phase, isDeleting } = machine;
  if (!isDeleting && !phasesOfLaunch.includes(phase)) return undefined;
  const cause = causeOf(machine, context);
  const operation = isDeleting ? 'removal' : 'launch';
  return { operation, uid, ...(cause && { cause }) };
}

export function traceOfDeployment({
  uid,
  generation,
  isDeleting,
}: SetView): SignalTrace | undefined {
  return isDeleting ? undefined : { operation: 'rollout', uid, generation };
}

function causeOf({ owner }: MachineView, { store }: DispatchContext): OperationOrigin | undefined {
  const set = owner === undefined ? undefined : store.find('machineSets', owner);
  if (set?.owner === undefined) return undefined;
  const deployment = store.find('machineDeployments', set.owner);
  return deployment && traceOfDeployment(deployment);
}
