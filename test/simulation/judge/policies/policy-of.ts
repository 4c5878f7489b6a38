/** What the judge reads of a DisruptionPolicy. */
import type { DisruptionPolicy } from '../../../../workflows/api/disruption-policy.ts';
import type { KubeObject } from '../../../../kube/client/client.ts';
import type { DisruptionReason } from '../../../../workflows/api/phases.ts';
import type { JudgedObject } from '../objects.ts';

export const policyKind = 'DisruptionPolicy';

export function policyOf(object: KubeObject): DisruptionPolicy {
  return Object(object);
}

export function holdsFor({ spec }: DisruptionPolicy, reason: DisruptionReason): boolean {
  return (spec.reasons ?? ['Rollout', 'Replace']).includes(reason);
}

/** By labels, and by the expressions that users here write: `In` alone. */
export function selects({ spec }: DisruptionPolicy, { metadata }: JudgedObject): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec.selector ?? {};
  const labels = metadata.labels ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values = [] }) => values.includes(labels[key] ?? ''))
  );
}

/** Of machines on their way; undefined: no limit. */
export function limitOf({ spec }: DisruptionPolicy, replicas: number): number | undefined {
  const { machines } = spec.atATime ?? {};
  if (typeof machines !== 'string') return machines;
  return Math.ceil((Number.parseInt(machines, 10) * replicas) / 100);
}

const override = 'millwright.dev/override-policies';

/** Until when a person lifted windows and exclusions for a deployment, milliseconds; else 0. */
export function liftedUntil({ metadata }: JudgedObject): number {
  const [time = '', reason] = (metadata.annotations?.[override] ?? '').split(/\s+/);
  return reason === undefined ? 0 : Date.parse(time) || 0;
}
