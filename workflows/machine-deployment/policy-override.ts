/** What a rollout says of an override of DisruptionPolicies. */
import type { RolloutOptions } from '../plan/machine-deployment/rollout/facts.ts';
import { currentOverride } from '../plan/machine-deployment/rollout/policy-override.ts';
import type { Report } from '../plan/machine-deployment/rollout/steps.ts';

/** Until when, and why; undefined when none is in force. */
export function overrideInWords(options: RolloutOptions, now: number): string | undefined {
  const override = currentOverride(options, now);
  if (!override) return undefined;
  return `${formatEnd(override.until)}: ${override.reason}`;
}

/** RFC 3339, in whole seconds. */
export function formatEnd(until: number): string {
  return new Date(until).toISOString().replace(/\.\d+Z$/, 'Z');
}

/**
 * What there is to say of the override that is or was in force, and its words once that is said.
 * `said`: the words that were said before.
 */
export function overrideReport(
  options: RolloutOptions,
  said: string | undefined,
  now: number,
): { report: Report; said?: string } | undefined {
  const words = overrideInWords(options, now);
  if (words === said) return undefined;
  if (words !== undefined) {
    const message = `Windows and exclusions of DisruptionPolicies do not count until ${words}`;
    return { report: { type: 'Normal', reason: 'PolicyOverridden', message }, said: words };
  }
  const message = `Windows and exclusions of DisruptionPolicies count again, after the override until ${said}`;
  return { report: { type: 'Normal', reason: 'PolicyOverrideEnded', message } };
}
