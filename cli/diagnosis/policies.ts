/** DisruptionPolicies that hold what they select until a person changes them. */
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Install } from '../install/install.ts';
import type { PolicyStatus } from '../install/policies.ts';
import { policiesFor } from '../install/policies.ts';
import type { Finding } from './finding.ts';

export function policyFindings(policy: PolicyStatus): Finding[] {
  const { namespace, name, fault, allowsNone, waiting } = policy;
  const isNone = allowsNone && waiting > 0;
  if (fault === undefined && !isNone) return [];
  const kubectl = `kubectl -n ${namespace}`;
  return [
    {
      trouble: 'policy-invalid',
      object: { kind: 'disruptionpolicy', namespace, name },
      cause:
        fault === undefined
          ? `it allows 0 machines at a time, and so many wait: ${waiting}`
          : `it cannot be followed, and holds what it selects: ${fault}`,
      since: policy.invalidSince,
      commands: [
        `${kubectl} describe disruptionpolicy ${name}`,
        `${kubectl} edit disruptionpolicy ${name}`,
      ],
    },
  ];
}

/** Of the policies that select a deployment. */
export function policyFindingsFor(deployment: MachineDeployment, install: Install): Finding[] {
  return policiesFor(deployment, install).flatMap(policyFindings);
}
