/** Operation of a machine, for traces: docs/tracing.md. */
import type { MachinePhase } from '../api/phases.ts';
import type { NamespacedName } from '../contracts/references.ts';
import type { OperationName, OperationView } from '../contracts/tracing.ts';
import { defined } from '../values/defined.ts';
import type { MachineState } from './state.ts';
import { instanceOf } from './state.ts';

const phasesOfLaunch: readonly MachinePhase[] = ['', 'Pending', 'CrashLoopBackOff'];

export function operationOf(
  { namespace, name }: NamespacedName,
  state: MachineState,
): OperationView {
  const { providerID, nodeName } = instanceOf(state) ?? {};
  return {
    name: nameOf(state),
    phase: state.phase,
    isFailed: state.phase === 'Failed',
    attributes: defined({
      'k8s.namespace.name': namespace,
      'millwright.machine': name,
      'millwright.provider': state.object.prepared?.provider,
      'millwright.provider_id': providerID,
      'k8s.node.name': nodeName,
    }),
  };
}

function nameOf({ phase, object, teardown }: MachineState): OperationName | undefined {
  if (teardown || object.observed?.isDeleting) return 'removal';
  return phasesOfLaunch.includes(phase) ? 'launch' : undefined;
}
