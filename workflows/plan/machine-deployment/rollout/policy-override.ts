/**
 * `millwright.dev/override-policies`: until then windows and exclusions of DisruptionPolicies do not
 * count for a MachineDeployment. Their limits of how many at a time do.
 */
import { longestOverrideMs, longestReason } from '../../../api/policy-override.ts';
import { clip } from '../../../values/clip.ts';
import type { RolloutOptions } from './facts.ts';
import type { Report } from './steps.ts';

type Override = NonNullable<RolloutOptions['overridePolicies']>;

/** The end was reckoned by the clock of its author. */
const clockSkewMs = 5 * 60_000;

const longestName = 80;
const longestSignedReason = longestReason + longestName + ' (by )'.length;

export const allowedOverride =
  'must be a time of at most 7 days from now and a reason, such as 2026-01-31T22:00:00Z CVE-2026-1234';

/** Value of the annotation. `by`: who asks, as far as that is known. */
export function formatOverride({ until, reason }: Override, by?: string): string {
  const name = by === undefined ? '' : clip(by.replace(/\s+/g, ' ').trim(), longestName);
  return `${formatEnd(until)} ${reason}${name === '' ? '' : ` (by ${name})`}`;
}

/** `timeOf`: milliseconds of an RFC 3339 time. Undefined for nonsense. */
export function parseOverride(
  text: string,
  timeOf: (text: string) => number | undefined,
  now: number,
): Override | undefined {
  const [, time = '', reason = ''] = /^(\S+)\s+(\S.*)$/.exec(text) ?? [];
  const until = timeOf(time);
  if (until === undefined || until - now > longestOverrideMs + clockSkewMs) return undefined;
  return reason === '' || reason.length > longestSignedReason ? undefined : { until, reason };
}

/** In whole seconds. */
export function formatEnd(until: number): string {
  return new Date(until).toISOString().replace(/\.\d+/, '');
}

/** Undefined when there is none, or when it is over. */
export function currentOverride(
  { overridePolicies: override }: RolloutOptions,
  now: number,
): Override | undefined {
  return override && now < override.until ? override : undefined;
}

/**
 * What there is to say of the override that is or was in force, and what has been said then: the
 * value of the annotation. `said`: what had been said before.
 */
export function overrideReport(
  options: RolloutOptions,
  said: string | undefined,
  now: number,
): { report: Report; said?: string } | undefined {
  const override = currentOverride(options, now);
  const present = override && formatOverride(override);
  if (present === said) return undefined;
  if (override && present !== undefined) {
    const message = `Windows and exclusions of DisruptionPolicies do not count until ${formatEnd(override.until)}: ${override.reason}`;
    return { report: { type: 'Warning', reason: 'PolicyOverridden', message }, said: present };
  }
  const message = `Windows and exclusions of DisruptionPolicies count again: the override is over that was to last until ${said}`;
  return { report: { type: 'Normal', reason: 'PolicyOverrideEnded', message } };
}
