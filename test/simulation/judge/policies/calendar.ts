/**
 * When a DisruptionPolicy is open, found by going through all minutes. It knows nothing of the
 * calendar of our activities, and has the zones from another library.
 */
import { IANAZone } from 'luxon';
import type { DisruptionPolicySpec } from '../../../../workflows/api/disruption-policy.ts';
import { parseGoDuration } from '../durations.ts';
import { isAt, neverComes, parseCron } from './cron.ts';
import type { Cron, WallMinute } from './cron.ts';

/** Milliseconds since 1970; the end is left out. */
export interface Span {
  from: number;
  to: number;
}

type Times = Pick<DisruptionPolicySpec, 'windows' | 'exclusions'>;
type Window = NonNullable<Times['windows']>[number];

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** No clock is put back by more. */
const longestRepeatMs = 4 * 60 * minuteMs;

/** Starts of a schedule in a zone, by the day of UTC. */
const known = new Map<string, readonly number[]>();

/** It cannot be followed: such a policy is closed for good. */
export function isFaulty({ windows = [] }: Times): boolean {
  return windows.some(
    ({ schedule, timeZone = 'UTC' }) =>
      !IANAZone.isValidZone(timeZone) || neverComes(parseCron(schedule)),
  );
}

/** Whether it is open at some moment from `from` up to `to`, both of them included. */
export function isOpenWithin(times: Times, { from, to }: Span): boolean {
  return openSpans(times, { from, to: to + 1 }).length > 0;
}

export function isOpenThroughout(times: Times, span: Span): boolean {
  const spans = openSpans(times, { from: span.from, to: span.to + 1 });
  return spans.some(({ from, to }) => from <= span.from && to > span.to);
}

export function openMs(times: Times, span: Span): number {
  return openSpans(times, span).reduce((sum, { from, to }) => sum + to - from, 0);
}

/** In their order, and none touches the next one. */
export function openSpans({ windows, exclusions = [] }: Times, span: Span): Span[] {
  if (isFaulty({ ...(windows && { windows }) })) return [];
  const open = windows?.length ? windows.flatMap((window) => spansOf(window, span)) : [span];
  const clipped = united(open).map(({ from, to }) => ({
    from: Math.max(from, span.from),
    to: Math.min(to, span.to),
  }));
  return exclusions
    .map(({ start, end }) => ({ from: Date.parse(start), to: Date.parse(end) }))
    .reduce((left, hole) => left.flatMap((one) => without(one, hole)), clipped)
    .filter(({ from, to }) => from < to);
}

/** From each start for real time, without the part in which nothing new begins. */
function spansOf({ schedule, duration, timeZone = 'UTC', lead = '0' }: Window, span: Span): Span[] {
  const lengthMs = (parseGoDuration(duration) ?? 0) - (parseGoDuration(lead) ?? 0);
  const first = Math.floor((span.from - lengthMs) / dayMs);
  const last = Math.floor(span.to / dayMs);
  const days = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return days
    .flatMap((day) => startsOn(day, schedule, timeZone))
    .map((from) => ({ from, to: from + lengthMs }));
}

function startsOn(day: number, schedule: string, timeZone: string): readonly number[] {
  const key = `${day} ${timeZone} ${schedule}`;
  const found = known.get(key) ?? search(day * dayMs, parseCron(schedule), timeZone);
  known.set(key, found);
  return found;
}

/**
 * Each minute that the clocks of the zone show for the first time is one in which a schedule may
 * come; those that they leave out count with the first one after them.
 */
function search(dayAt: number, cron: Cron, timeZone: string): number[] {
  const zone = IANAZone.create(timeZone);
  const starts: number[] = [];
  let latest = -Infinity;
  for (let at = dayAt - longestRepeatMs; at < dayAt + dayMs; at += minuteMs) {
    const shown = Math.floor(at / minuteMs) + zone.offset(at);
    const isFirst = latest === -Infinity;
    for (let wall = isFirst ? shown : latest + 1; wall <= shown; wall += 1) {
      if (at >= dayAt && starts.at(-1) !== at && isAt(cron, wallMinuteOf(wall))) starts.push(at);
    }
    latest = Math.max(latest, shown);
  }
  return starts;
}

function wallMinuteOf(minutes: number): WallMinute {
  const shown = new Date(minutes * minuteMs);
  return {
    minute: shown.getUTCMinutes(),
    hour: shown.getUTCHours(),
    day: shown.getUTCDate(),
    month: shown.getUTCMonth() + 1,
    weekday: shown.getUTCDay(),
  };
}

function united(spans: readonly Span[]): Span[] {
  const made: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = made.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else made.push({ from, to });
  }
  return made;
}

function without({ from, to }: Span, hole: Span): Span[] {
  if (hole.to <= from || hole.from >= to) return [{ from, to }];
  return [
    { from, to: hole.from },
    { from: hole.to, to },
  ].filter((part) => part.from < part.to);
}
