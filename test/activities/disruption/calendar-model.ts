/**
 * The calendar of a policy once more: slowly, with luxon for the zones and a cron of its own, which
 * goes through every minute. Shares nothing with activities/disruption.
 */
import { DateTime } from 'luxon';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Lists of a schedule; undefined is `*`. */
export interface Fields {
  minutes: readonly number[] | undefined;
  hours: readonly number[] | undefined;
  daysOfMonth: readonly number[] | undefined;
  months: readonly number[] | undefined;
  /** Sunday is 0. */
  daysOfWeek: readonly number[] | undefined;
}

export interface ModelWindow {
  fields: Fields;
  zone: string;
  durationMinutes: number;
  leadMinutes: number;
}

export interface ModelPolicy {
  windows: readonly ModelWindow[];
  exclusions: readonly { start: number; end: number }[];
}

export function scheduleOf(fields: Fields): string {
  const { minutes, hours, daysOfMonth, months, daysOfWeek } = fields;
  return [minutes, hours, daysOfMonth, months, daysOfWeek]
    .map((list) => (list === undefined ? '*' : list.join(',')))
    .join(' ');
}

interface Span {
  start: number;
  end: number;
}

/** Whether the policy is open at `now`, and when that changes, as far as `ahead` days show it. */
export function modelAt(
  { windows, exclusions }: ModelPolicy,
  now: number,
  ahead: number,
): { isOpen: boolean; until: number | undefined } {
  const longest = Math.max(0, ...windows.map(({ durationMinutes }) => durationMinutes)) * minuteMs;
  const from = now - longest - 2 * dayMs;
  const to = now + ahead * dayMs;
  const spans = windows.flatMap((window) => spansOf(window, { start: from, end: to }));
  const isOpenAt = (time: number): boolean =>
    (windows.length === 0 || spans.some((span) => isIn(span, time))) &&
    !exclusions.some((span) => isIn(span, time));
  const isOpen = isOpenAt(now);
  const until = [...spans, ...exclusions]
    .flatMap(({ start, end }) => [start, end])
    .filter((time) => time > now && time < to - 2 * dayMs)
    .toSorted((a, b) => a - b)
    .find((time) => isOpenAt(time) !== isOpen);
  return { isOpen, until };
}

const isIn = ({ start, end }: Span, time: number): boolean => start <= time && time < end;

/** One span for each local minute of the schedule, from the first moment that has reached it. */
function spansOf({ fields, zone, durationMinutes, leadMinutes }: ModelWindow, span: Span): Span[] {
  const spans: Span[] = [];
  let shown = localOf(span.start, zone);
  for (let time = span.start + minuteMs; time <= span.end; time += minuteMs) {
    const local = localOf(time, zone);
    // All minutes that no clock of the zone has shown before.
    for (let minute = shown + minuteMs; minute <= local; minute += minuteMs) {
      if (!matches(fields, minute)) continue;
      spans.push({ start: time, end: time + (durationMinutes - leadMinutes) * minuteMs });
    }
    shown = Math.max(shown, local);
  }
  return spans;
}

/** The local time as if it were in UTC; asked of luxon for each quarter of an hour. */
function localOf(time: number, zone: string): number {
  const quarter = Math.floor(time / (15 * minuteMs));
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  const offset = known ?? DateTime.fromMillis(quarter * 15 * minuteMs, { zone }).offset;
  if (offsets.size > 500_000) offsets.clear();
  if (known === undefined) offsets.set(key, offset);
  return time + offset * minuteMs;
}
const offsets = new Map<string, number>();

const has = (list: readonly number[] | undefined, value: number): boolean =>
  list === undefined || list.includes(value);

function matches(fields: Fields, local: number): boolean {
  const date = new Date(local);
  const { daysOfMonth, daysOfWeek } = fields;
  const isDayOfMonth = has(daysOfMonth, date.getUTCDate());
  const isDayOfWeek = has(daysOfWeek, date.getUTCDay());
  // Either is enough where both are given.
  const isDay =
    daysOfMonth === undefined || daysOfWeek === undefined
      ? isDayOfMonth && isDayOfWeek
      : isDayOfMonth || isDayOfWeek;
  return (
    has(fields.minutes, date.getUTCMinutes()) &&
    has(fields.hours, date.getUTCHours()) &&
    isDay &&
    has(fields.months, date.getUTCMonth() + 1)
  );
}

/** Moments from which on the zone has another offset, in a year; to the minute. */
export function changesIn(year: number, zone: string): number[] {
  const offsetAt = (time: number): number => DateTime.fromMillis(time, { zone }).offset;
  const [first, last] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  const changes: number[] = [];
  for (let day = first; day < last; day += dayMs) {
    if (offsetAt(day) === offsetAt(day + dayMs)) continue;
    let change = day;
    while (offsetAt(change) === offsetAt(day)) change += 15 * minuteMs;
    while (offsetAt(change - minuteMs) !== offsetAt(day)) change -= minuteMs;
    changes.push(change);
  }
  return changes;
}
