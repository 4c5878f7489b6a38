import { isFaulty, isOpenThroughout, isOpenWithin, openSpans } from './calendar.ts';

const minuteMs = 60_000;

function spansOf(window: object, from: string, to: string): string[] {
  const windows = [{ schedule: '0 2 * * *', duration: '1h', ...window }];
  const span = { from: Date.parse(from), to: Date.parse(to) };
  return openSpans({ windows }, span).map((one) =>
    [one.from, one.to].map((at) => new Date(at).toISOString().slice(5, 16)).join(' '),
  );
}

test.each<[string, object, string[]]>([
  ['UTC is the default', {}, ['01-02T02:00 01-02T03:00']],
  ['local time', { timeZone: 'Asia/Kolkata' }, ['01-01T20:30 01-01T21:30']],
  ['a day of the week of the zone', weekdayOf('FRI'), ['01-01T13:15 01-01T14:15']],
  ['another day', weekdayOf('SAT'), []],
  ['without its lead', { lead: '15m' }, ['01-02T02:00 01-02T02:45']],
  ['two that touch', { schedule: '0 2,3 * * *' }, ['01-02T02:00 01-02T04:00']],
  [
    'one that began before',
    { duration: '15h' },
    ['01-01T12:00 01-01T17:00', '01-02T02:00 01-02T12:00'],
  ],
])('from noon to noon: %s', (_, window, spans) => {
  expect(spansOf(window, '2026-01-01T12:00:00Z', '2026-01-02T12:00:00Z')).toEqual(spans);
});

function weekdayOf(day: string): object {
  return { schedule: `0 3 * * ${day}`, timeZone: 'Pacific/Chatham' };
}

/** In Berlin 2:00 to 3:00 is left out on March 29th, and comes twice on October 25th. */
test.each<[string, object, string[]]>([
  ['2026-03-29', { schedule: '30 2 * * *' }, ['03-29T01:00 03-29T02:00']],
  ['2026-03-29', { schedule: '0 4 * * *' }, ['03-29T02:00 03-29T03:00']],
  ['2026-03-29', { schedule: '0 1 * * *', duration: '3h' }, ['03-29T00:00 03-29T03:00']],
  ['2026-10-25', { schedule: '30 2 * * *' }, ['10-25T00:30 10-25T01:30']],
  ['2026-10-25', { schedule: '0 3 * * *' }, ['10-25T02:00 10-25T03:00']],
])('when the clocks change, on %s, %j', (day, window, spans) => {
  const zone = { timeZone: 'Europe/Berlin', ...window };
  expect(spansOf(zone, `${day}T00:00:00Z`, `${day}T12:00:00Z`)).toEqual(spans);
});

test('an exclusion makes a hole', () => {
  const exclusions = [{ start: '2026-01-01T01:00:00+01:00', end: '2026-01-01T00:20:00Z' }];
  const from = Date.UTC(2026, 0, 1);
  expect(isOpenWithin({ exclusions }, { from, to: from + 20 * minuteMs - 1 })).toBe(false);
  expect(isOpenWithin({ exclusions }, { from, to: from + 20 * minuteMs })).toBe(true);
  const later = { from: from + 20 * minuteMs, to: from + 30 * minuteMs };
  expect(isOpenThroughout({ exclusions }, later)).toBe(true);
  expect(isOpenThroughout({ exclusions }, { ...later, from })).toBe(false);
});

test.each([
  ['0 2 * * *', 'Europe/Berlin', false],
  ['0 2 * * *', 'Mars/Phobos', true],
  ['0 2 30 2 *', 'UTC', true],
  ['0 2 29 2 *', 'UTC', false],
  ['0 2 31 */2 *', 'UTC', false],
])('%s in %s: cannot be followed: %s', (schedule, timeZone, expected) => {
  const windows = [{ schedule, timeZone, duration: '1h' }];
  expect(isFaulty({ windows })).toBe(expected);
  const span = { from: 0, to: 3 * 24 * 60 * minuteMs };
  expect(openSpans({ windows }, span).length > 0).toBe(!expected && schedule === '0 2 * * *');
});
