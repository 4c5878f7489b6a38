/** The windows and exclusions of a DisruptionPolicy: whether machines may be taken, until when. */
import { parseDuration } from '../../workflows/api/duration.ts';
import type {
  DisruptionPolicySpec,
  DisruptionWindow,
} from '../../workflows/api/disruption-policy.ts';
import { calendarFaults } from './faults.ts';
import { lastLocal, nextLocal } from './schedule.ts';
import { latestLocal, textOf, timeOf } from './time-zone.ts';

export interface WindowsAnswer {
  isOpen: boolean;
  /**
   * The answer changes then, milliseconds; an open one, of windows that follow each other without
   * end, may turn out to be the same. Absent: it never does by itself.
   */
  until?: number;
  /** In words, with absolute times, e.g. `waits for its window, Sat 2026-12-05 02:00 CET`. */
  why: string;
}

interface Window {
  schedule: string;
  zone: string;
  /** Milliseconds of real time. */
  duration: number;
  /** Its last part, in which nothing new begins. */
  lead: number;
}

interface Exclusion {
  start: number;
  end: number;
  reason: string;
}

interface Calendar {
  /** Empty: always. */
  windows: readonly Window[];
  exclusions: readonly Exclusion[];
}

/** A policy with a fault is closed. */
export function windowsAt(spec: DisruptionPolicySpec, now: number): WindowsAnswer {
  const faults = calendarFaults(spec);
  if (faults.length > 0) return { isOpen: false, why: faults.join('; ') };
  const calendar = calendarOf(spec);
  const text = (time: number): string => textOf(time, zoneOf(spec));
  return isOpenAt(calendar, now)
    ? openAnswer(calendar, now, text)
    : closedAnswer(calendar, now, text);
}

/** The zone of a policy's times, as people read them. */
export function zoneOf({ windows = [] }: DisruptionPolicySpec): string {
  return windows[0]?.timeZone ?? 'UTC';
}

function calendarOf({ windows = [], exclusions = [] }: DisruptionPolicySpec): Calendar {
  return {
    windows: windows.map(windowOf),
    exclusions: exclusions.map(({ start, end, reason = '' }) => ({
      start: Date.parse(start),
      end: Date.parse(end),
      reason: reason === '' ? '' : ` (${reason})`,
    })),
  };
}

function windowOf({ schedule, duration, timeZone = 'UTC', lead = '0' }: DisruptionWindow): Window {
  return { schedule, zone: timeZone, duration: msOf(duration), lead: msOf(lead) };
}

/** Whole ones, as a timer takes them. */
const msOf = (duration: string): number => Math.round(1000 * (parseDuration(duration) ?? 0));

function isOpenAt(calendar: Calendar, time: number): boolean {
  if (exclusionAt(calendar, time)) return false;
  return calendar.windows.length === 0 || windowEndAt(calendar, time) !== undefined;
}

/**
 * The exclusion that lasts longest of those of that time; its end is that of the last one of those
 * that follow it without a gap.
 */
function exclusionAt({ exclusions }: Calendar, time: number): Exclusion | undefined {
  const [first, ...rest] = exclusions
    .filter(({ start, end }) => start <= time && time < end)
    .toSorted((a, b) => b.end - a.end);
  if (!first) return undefined;
  const later = exclusions.filter((one) => one !== first && !rest.includes(one));
  const next = exclusionAt({ windows: [], exclusions: later }, first.end);
  return next ? { ...first, end: next.end } : first;
}

/** When the windows of that time begin nothing more; undefined where there is none. */
function windowEndAt({ windows }: Calendar, time: number): number | undefined {
  const ends = windows.flatMap((window) => {
    const start = lastStart(window, time);
    return start === undefined ? [] : [start + window.duration - window.lead];
  });
  const end = Math.max(...ends);
  return end > time ? end : undefined;
}

function lastStart({ schedule, zone }: Window, time: number): number | undefined {
  const local = lastLocal(schedule, latestLocal(time, zone));
  return local === undefined ? undefined : timeOf(local, zone);
}

function nextStart({ windows }: Calendar, time: number): number {
  const starts = windows.flatMap(({ schedule, zone }) => {
    const local = nextLocal(schedule, latestLocal(time, zone));
    return local === undefined ? [] : [timeOf(local, zone)];
  });
  return Math.min(...starts);
}

/** Windows that follow each other without a gap and are reckoned as one. */
const mostInARow = 20;

function openAnswer(
  calendar: Calendar,
  now: number,
  text: (time: number) => string,
): WindowsAnswer {
  const next = calendar.exclusions
    .filter(({ start }) => start > now)
    .toSorted((a, b) => a.start - b.start)[0];
  const end = endOfRow(calendar, now);
  const until = Math.min(end, next?.start ?? Infinity);
  if (until === Infinity) return { isOpen: true, why: 'is open' };
  const reason = until === next?.start ? next.reason : '';
  return { isOpen: true, until, why: `is open until ${text(until)}${reason}` };
}

function endOfRow(calendar: Calendar, now: number): number {
  if (calendar.windows.length === 0) return Infinity;
  let end = now;
  for (let inRow = 0; inRow < mostInARow; inRow += 1) {
    const later = windowEndAt(calendar, end);
    if (later === undefined) break;
    end = later;
  }
  return end;
}

function closedAnswer(
  calendar: Calendar,
  now: number,
  text: (time: number) => string,
): WindowsAnswer {
  const exclusion = exclusionAt(calendar, now);
  const excluded: readonly string[] = exclusion
    ? [`waits for the end of an exclusion${exclusion.reason}, ${text(exclusion.end)}`]
    : [];
  const opens = nextOpening(calendar, now);
  if (opens === undefined) {
    return { isOpen: false, why: excluded[0] ?? 'waits for a window that never opens' };
  }
  const lead = isInLead(calendar, now) ? '; in the lead of the present one nothing begins' : '';
  const window = `waits for its window, ${text(opens)}${lead}`;
  const why = exclusion?.end === opens ? excluded : [...excluded, window];
  return { isOpen: false, until: opens, why: why.join('; then it ') };
}

/** Undefined where no calendar goes so far. */
function nextOpening(calendar: Calendar, now: number): number | undefined {
  let time = now;
  // A start of a window is open or excluded, and each exclusion ends once.
  for (let step = 0; step <= 2 * calendar.exclusions.length + 1; step += 1) {
    const exclusion = exclusionAt(calendar, time);
    if (isOpenAt(calendar, time)) return time;
    time = exclusion ? exclusion.end : nextStart(calendar, time);
    if (time === Infinity) return undefined;
  }
  return undefined;
}

function isInLead({ windows }: Calendar, now: number): boolean {
  return windows.some((window) => {
    const start = lastStart(window, now);
    return start !== undefined && now < start + window.duration;
  });
}
