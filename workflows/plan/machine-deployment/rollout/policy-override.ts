/**
 * `millwright.dev/override-policies`: until then windows and exclusions of DisruptionPolicies do
 * not count for a MachineDeployment. Their limits of how many at a time do.
 */
import { longestOverrideMs, longestReason } from '../../../api/policy-override.ts';
import { clip } from '../../../values/clip.ts';
import type { RolloutOptions } from './facts.ts';

export type PolicyOverride = NonNullable<RolloutOptions['overridePolicies']>;

/** The end was reckoned by the clock of its author. */
const clockSkewMs = 5 * 60_000;

const longestName = 80;
const longestSignedReason = longestReason + longestName + ' (by )'.length;

export const allowedOverride =
  'must be a time of at most 7 days from now and a reason, such as 2026-01-31T22:00:00Z CVE-2026-1234';

/** Value of the annotation. `end`: RFC 3339. `by`: who asks, as far as that is known. */
export function formatOverride(end: string, reason: string, by?: string): string {
  const name = by === undefined ? '' : clip(by.replace(/\s+/g, ' ').trim(), longestName);
  return `${end} ${reason}${name === '' ? '' : ` (by ${name})`}`;
}

/** `timeOf`: milliseconds of an RFC 3339 time. Undefined for nonsense. */
export function parseOverride(
  text: string,
  timeOf: (text: string) => number | undefined,
  now: number,
): PolicyOverride | undefined {
  const [, time = '', reason = ''] = /^(\S+)\s+(\S.*)$/.exec(text) ?? [];
  const until = timeOf(time);
  if (until === undefined || until - now > longestOverrideMs + clockSkewMs) return undefined;
  return reason === '' || reason.length > longestSignedReason ? undefined : { until, reason };
}

/** Undefined when there is none, or when it is over. */
export function currentOverride(
  { overridePolicies: override }: RolloutOptions,
  now: number,
): PolicyOverride | undefined {
  return override && now < override.until ? override : undefined;
}
