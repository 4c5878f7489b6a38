/** Stands in until the calendar comes. */
import type { DisruptionPolicy, DisruptionPolicySpec } from '../../workflows/api/disruption-policy.ts';

export function windowsAt(
  _spec: DisruptionPolicySpec,
  _now: number,
): { isOpen: boolean; until?: number; why: string } {
  return { isOpen: true, why: '' };
}

export function faultsOf(_policy: DisruptionPolicy): string[] {
  return [];
}
