/**
 * Time zones, by the data of this process: two binaries of Node.js may differ in it, so workflows
 * see only what comes of it.
 *
 * A local time is written as the milliseconds that it would be in UTC.
 */
import { Recent } from './recent.ts';

const dayMs = 24 * 3_600_000;

const zones = new Recent(100, (name) => ({
  offset: new Intl.DateTimeFormat('en-GB', { timeZone: name, timeZoneName: 'longOffset' }),
  // Each knows the short names of its own part of the world only.
  names: ['en-GB', 'en-US'].map(
    (locale) => new Intl.DateTimeFormat(locale, { timeZone: name, timeZoneName: 'short' }),
  ),
}));

/** A name of the IANA database; an offset such as `+01:00` is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return zones.of(name) !== undefined;
  } catch {
    return false;
  }
}

/** How far local time is before UTC, milliseconds. */
function offsetAt(time: number, zone: string): number {
  const text = zones.of(zone).offset.format(time);
  const [, sign, hours, minutes = 0, seconds = 0] =
    /GMT([+-])(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text) ?? [];
  const size = (Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -1000 : 1000) * size;
}

/** The moment between these two from which on the offset is that of `to`. */
function changeBetween(from: number, to: number, zone: string): number {
  const before = offsetAt(from, zone);
  let [last, first] = [from, to];
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (offsetAt(middle, zone) === before) last = middle;
    else first = middle;
  }
  return first;
}

/**
 * When the clocks of the zone reach a local time: in a skipped hour the first moment after it, in a
 * repeated one the first time. No zone changes twice within two days.
 */
export function timeOf(local: number, zone: string): number {
  const near = local - offsetAt(local, zone);
  const [from, to] = [near - dayMs, near + dayMs];
  const [before, after] = [offsetAt(from, zone), offsetAt(to, zone)];
  if (before === after) return local - before;
  const change = changeBetween(from, to, zone);
  return local - before < change ? local - before : Math.max(local - after, change);
}

/** The latest local time that the clocks of the zone have shown until then. */
export function latestLocal(time: number, zone: string): number {
  const [before, now] = [offsetAt(time - dayMs, zone), offsetAt(time, zone)];
  if (before <= now) return time + now;
  // They were set back: what they show now they may have shown already.
  return Math.max(time + now, changeBetween(time - dayMs, time, zone) + before - 1);
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** As people read it, e.g. `Sat 2026-12-05 02:00 CET`. */
export function textOf(time: number, zone: string): string {
  const local = new Date(time + offsetAt(time, zone));
  const [date = '', clock = ''] = local.toISOString().split('T');
  const names = zones.of(zone).names.flatMap((format) => {
    const part = format.formatToParts(time).find(({ type }) => type === 'timeZoneName');
    return part ? [part.value] : [];
  });
  const name = names.find((one) => !/^GMT[+-]/.test(one)) ?? names[0] ?? zone;
  return `${days[local.getUTCDay()]} ${date} ${clock.slice(0, 5)} ${name}`;
}
