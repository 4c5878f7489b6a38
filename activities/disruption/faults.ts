/**
 * Faults of a DisruptionPolicy, in the words of `kubectl apply`. The rules of its CRD know neither
 * the time zones nor the days that there are.
 */
import { parseDuration } from '../../workflows/api/duration.ts';
import type {
  DisruptionExclusion,
  DisruptionPolicy,
  DisruptionPolicySpec,
  DisruptionWindow,
} from '../../workflows/api/disruption-policy.ts';
import { formFaults } from '../../workflows/api/selector.ts';
import { timeIn } from '../../workflows/api/time.ts';
import { quoted } from '../../workflows/api/validation.ts';
import { scheduleFault } from './schedule.ts';
import { isTimeZone } from './time-zone.ts';

/** Faults that keep a policy from being followed, e.g. `spec.windows[0].timeZone: ...`. */
export function faultsOf({ spec }: DisruptionPolicy): string[] {
  return [...formFaults(spec.selector), ...calendarFaults(spec)];
}

/** Those of windows and exclusions. */
export function calendarFaults({ windows = [], exclusions = [] }: DisruptionPolicySpec): string[] {
  return [
    ...windows.flatMap((window, index) => windowFaults(window, `spec.windows[${index}]`)),
    ...exclusions.flatMap((one, index) => exclusionFaults(one, `spec.exclusions[${index}]`)),
  ];
}

const invalid = (field: string, value: unknown, message: string): string =>
  `${field}: Invalid value: ${quoted(value)}: ${message}`;

function windowFaults(
  { schedule, duration, timeZone = 'UTC', lead = '0' }: DisruptionWindow,
  field: string,
): string[] {
  const faults: string[] = [];
  const reason = scheduleFault(schedule);
  if (reason !== undefined) {
    const allowed =
      'must be minute, hour, day of the month, month and day of the week as for cron, such as 0 2 * * SAT';
    faults.push(invalid(`${field}.schedule`, schedule, `${allowed}: ${reason}`));
  }
  if (!isTimeZone(timeZone)) {
    const allowed = 'must be a time zone of the IANA database, such as Europe/Berlin or UTC';
    faults.push(invalid(`${field}.timeZone`, timeZone, allowed));
  }
  return [...faults, ...lengthFaults(duration, lead, field)];
}

function lengthFaults(duration: string, lead: string, field: string): string[] {
  const [whole = 0, last] = [parseDuration(duration), parseDuration(lead)];
  if (whole === 0) {
    const allowed = 'must be a duration of more than 0, such as 30m, 4h or 1h30m';
    return [invalid(`${field}.duration`, duration, allowed)];
  }
  if (last === undefined) {
    const allowed = 'must be a duration of 0 or more, such as 90s, 20m or 1h30m';
    return [invalid(`${field}.lead`, lead, allowed)];
  }
  if (last < whole) return [];
  return [invalid(`${field}.lead`, lead, `must be shorter than the duration, ${quoted(duration)}`)];
}

function exclusionFaults({ start, end }: DisruptionExclusion, field: string): string[] {
  const times = Object.entries({ start, end }).map(([name, text]) => ({
    name,
    text,
    time: timeIn(text, Date.parse),
  }));
  const allowed = 'must be a time such as 2026-12-19T00:00:00Z';
  const unread = times.filter(({ time }) => time === undefined);
  if (unread.length > 0) {
    return unread.map(({ name, text }) => invalid(`${field}.${name}`, text, allowed));
  }
  if (Date.parse(start) < Date.parse(end)) return [];
  return [invalid(`${field}.end`, end, `must be after the start, ${quoted(start)}`)];
}
