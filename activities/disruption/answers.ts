/** What one DisruptionPolicy says to a deployment, from values alone. */
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { ClosedGate } from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { optionsOf } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import { windowsAt } from './calendar.ts';
import { faultsOf } from './faults.ts';
import { policiesFor } from './selecting.ts';

/** By windows and exclusions. */
export interface Times {
  closed?: ClosedGate;
  /** An open one closes then, milliseconds. */
  until?: number;
}

/** Whether a policy is closed for a deployment, before anything is counted. */
export function timesOf(
  policy: DisruptionPolicy,
  deployment: MachineDeployment,
  now: number,
): Times {
  const { name } = policy.metadata;
  const fault = (why: string): Times => ({ closed: { policy: name, kind: 'fault', why } });
  const faults = faultsOf(policy);
  if (faults.length > 0) return fault(`it cannot be followed: ${faults.join('; ')}`);
  if (isNumberZero(policy)) return fault('atATime.machines is 0: no machine may be taken');
  const { isOpen, until, why } = windowsAt(policy.spec, now);
  const end = until === undefined ? {} : { until };
  if (isOpen) return end;
  const lifted = liftedUntil(deployment, now);
  if (lifted !== undefined) return { until: lifted };
  return { closed: { policy: name, kind: 'time', why, ...end } };
}

/** Whether another policy's windows keep a deployment from rolling. */
export function isClosedFor(
  policies: readonly DisruptionPolicy[],
  now: number,
): (deployment: MachineDeployment) => boolean {
  return (deployment) =>
    policiesFor(policies, deployment, 'Rollout').some(
      (policy) => timesOf(policy, deployment, now).closed !== undefined,
    );
}

/** A person's override of windows and exclusions, milliseconds; undefined where there is none. */
function liftedUntil(deployment: MachineDeployment, now: number): number | undefined {
  const { overridePolicies } = optionsOf(deployment, Date.parse, now);
  const until = overridePolicies?.until ?? 0;
  return until > now ? until : undefined;
}

export function isNumberZero({ spec }: DisruptionPolicy): boolean {
  const { machines } = spec.atATime ?? {};
  return machines === 0 || (typeof machines === 'string' && /^\+?0+%$/.test(machines));
}
