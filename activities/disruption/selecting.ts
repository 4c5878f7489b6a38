/** Which DisruptionPolicies hold for which MachineDeployments. */
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { DisruptionReason } from '../../workflows/api/phases.ts';
import { selectsLabels } from '../../workflows/api/selector.ts';

const usualReasons: readonly DisruptionReason[] = ['Rollout', 'Replace'];

type Labelled = Pick<MachineDeployment, 'metadata'>;

/** Without a selector it is all of the namespace. */
export function selects({ spec }: DisruptionPolicy, { metadata }: Labelled): boolean {
  return selectsLabels(spec.selector, metadata.labels ?? {});
}

export function holdsFor({ spec }: DisruptionPolicy, reason: DisruptionReason): boolean {
  return (spec.reasons ?? usualReasons).includes(reason);
}

/** Those of a deployment for this reason. */
export function policiesFor(
  policies: readonly DisruptionPolicy[],
  deployment: Labelled,
  reason: DisruptionReason,
): DisruptionPolicy[] {
  return policies.filter((policy) => holdsFor(policy, reason) && selects(policy, deployment));
}
