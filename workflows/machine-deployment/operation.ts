/** Operation of a MachineDeployment, for traces: docs/tracing.md. */
import type { NamespacedName } from '../contracts/references.ts';
import type { OperationView } from '../contracts/tracing.ts';
import type { DeploymentPlan } from '../plan/machine-deployment/rollout/steps.ts';

export function operationOf(
  { namespace, name }: NamespacedName,
  { state }: Pick<DeploymentPlan, 'state'>,
): OperationView {
  return {
    name: state === 'Complete' ? undefined : 'rollout',
    phase: state,
    isFailed: false,
    attributes: { 'k8s.namespace.name': namespace, 'millwright.machine_deployment': name },
  };
}
