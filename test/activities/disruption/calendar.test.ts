import { Cron } from 'croner';
import { windowsAt } from '../../../activities/disruption/calendar.ts';
import type { DisruptionPolicySpec } from '../../../workflows/api/disruption-policy.ts';

/** `open` or `closed`, until when, and why, as a line. */
function told(spec: DisruptionPolicySpec, at: string): string {
  const { isOpen, until, why } = windowsAt(spec, Date.parse(at));
  const end =
    until === undefined ? 'for ever' : `until ${new Date(until).toISOString().slice(0, 16)}Z`;
  return `${isOpen ? 'open' : 'closed'} ${end}: ${why}`;
}

const nightly: DisruptionPolicySpec = {
  windows: [{ schedule: '30 2 * * *', duration: '1h', timeZone: 'Europe/Berlin' }],
};
const saturdays: DisruptionPolicySpec = {
  windows: [{ schedule: '0 2 * * SAT', duration: '4h', timeZone: 'Europe/Berlin', lead: '30m' }],
};

describe('without windows', () => {
  test('it is always open', () => {
    expect(told({}, '2026-11-29T00:00Z')).toBe('open for ever: is open');
    expect(told({ windows: [] }, '2026-11-29T00:00Z')).toBe('open for ever: is open');
  });

  test('it is closed in an exclusion', () => {
    const exclusions = [
      { start: '2026-12-19T00:00:00+01:00', end: '2027-01-04T00:00:00+01:00', reason: 'Christmas' },
      { start: '2027-01-03T00:00:00Z', end: '2027-01-05T00:00:00Z' },
    ];
    expect(told({ exclusions }, '2026-12-01T00:00Z')).toBe(
      'open until 2026-12-18T23:00Z: is open until Fri 2026-12-18 23:00 UTC (Christmas)',
    );
    expect(told({ exclusions }, '2026-12-18T23:00Z')).toBe(
      'closed until 2027-01-05T00:00Z: waits for the end of an exclusion (Christmas), Tue 2027-01-05 00:00 UTC',
    );
    expect(told({ exclusions }, '2027-01-05T00:00Z')).toBe('open for ever: is open');
  });
});

describe('a window', () => {
  test.each([
    [
      '2026-11-29T00:00Z',
      'closed until 2026-12-05T01:00Z: waits for its window, Sat 2026-12-05 02:00 CET',
    ],
    ['2026-12-05T01:00Z', 'open until 2026-12-05T04:30Z: is open until Sat 2026-12-05 05:30 CET'],
    [
      '2026-12-05T04:30Z',
      'closed until 2026-12-12T01:00Z: waits for its window, Sat 2026-12-12 02:00 CET; in the lead of the present one nothing begins',
    ],
    [
      '2026-12-05T05:00Z',
      'closed until 2026-12-12T01:00Z: waits for its window, Sat 2026-12-12 02:00 CET',
    ],
  ])('begins nothing in its lead: %s', (at, expected) => {
    expect(told(saturdays, at)).toBe(expected);
  });

  test('starts at the first moment after a skipped hour, and lasts as long as ever', () => {
    expect(told(nightly, '2026-03-29T00:59Z')).toBe(
      'closed until 2026-03-29T01:00Z: waits for its window, Sun 2026-03-29 03:00 CEST',
    );
    expect(told(nightly, '2026-03-29T01:00Z')).toBe(
      'open until 2026-03-29T02:00Z: is open until Sun 2026-03-29 04:00 CEST',
    );
  });

  test('starts once in a repeated hour, and lasts as long as ever', () => {
    expect(told(nightly, '2026-10-25T00:29Z')).toBe(
      'closed until 2026-10-25T00:30Z: waits for its window, Sun 2026-10-25 02:30 CEST',
    );
    expect(told(nightly, '2026-10-25T00:30Z')).toBe(
      'open until 2026-10-25T01:30Z: is open until Sun 2026-10-25 02:30 CET',
    );
    expect(told(nightly, '2026-10-25T01:30Z')).toBe(
      'closed until 2026-10-26T01:30Z: waits for its window, Mon 2026-10-26 02:30 CET',
    );
  });

  test('lasts for real time over a change of the clocks', () => {
    const long = { windows: [{ ...nightly.windows?.[0], schedule: '0 22 * * *', duration: '8h' }] };
    const spec: DisruptionPolicySpec = {
      windows: long.windows.map((window) => ({ timeZone: 'Europe/Berlin', ...window })),
    };
    expect(told(spec, '2026-03-28T21:00Z')).toContain('until Sun 2026-03-29 07:00 CEST');
    expect(told(spec, '2026-10-24T20:00Z')).toContain('until Sun 2026-10-25 05:00 CET');
  });

  test('starts on the next day where the clocks skip the rest of one', () => {
    const late = {
      windows: [{ schedule: '30 23 * * *', duration: '1h', timeZone: 'America/Nuuk' }],
    };
    expect(told(late, '2025-03-30T00:59Z')).toMatch(/^closed until 2025-03-30T01:00Z/);
    expect(told(late, '2025-03-30T01:00Z')).toMatch(/^open until 2025-03-30T02:00Z/);
  });

  test.each([
    ['0 2 L * *', '2026-11-30T02:00Z'],
    ['0 2 * * SAT#2', '2026-12-12T02:00Z'],
    ['0 2 * * SATL', '2026-12-26T02:00Z'],
    ['0 2 13 * FRI', '2026-12-04T02:00Z'],
    ['0 2 29 2 *', '2028-02-29T02:00Z'],
    ['*/20 2-3 1-7 JAN,JUL *', '2027-01-01T02:00Z'],
  ])('starts as %s says', (schedule, first) => {
    const spec = { windows: [{ schedule, duration: '1m' }] };
    expect(told(spec, '2026-11-29T12:00Z')).toContain(`closed until ${first}`);
  });
});

describe('windows and exclusions', () => {
  test('windows add up', () => {
    const spec: DisruptionPolicySpec = {
      windows: [
        { schedule: '0 1 * * *', duration: '2h' },
        { schedule: '0 2 * * *', duration: '3h', timeZone: 'UTC' },
        { schedule: '0 6 * * *', duration: '1h', timeZone: 'Asia/Kolkata' },
      ],
    };
    expect(told(spec, '2026-11-29T00:30Z')).toMatch(/^open until 2026-11-29T05:00Z/);
    expect(told(spec, '2026-11-29T05:00Z')).toMatch(/^closed until 2026-11-30T00:30Z/);
  });

  test('an exclusion ends a window, and one that is over lets the rest of it be', () => {
    const exclusions = [
      { start: '2026-12-05T02:00:00Z', end: '2026-12-05T03:00:00Z', reason: 'match' },
    ];
    const spec = { ...saturdays, exclusions };
    expect(told(spec, '2026-12-05T01:00Z')).toBe(
      'open until 2026-12-05T02:00Z: is open until Sat 2026-12-05 03:00 CET (match)',
    );
    expect(told(spec, '2026-12-05T02:00Z')).toBe(
      'closed until 2026-12-05T03:00Z: waits for the end of an exclusion (match), Sat 2026-12-05 04:00 CET',
    );
    expect(told(spec, '2026-12-05T03:00Z')).toMatch(/^open until 2026-12-05T04:30Z/);
  });

  test('an exclusion that hides a window: the next one is waited for', () => {
    const exclusions = [{ start: '2026-12-04T00:00:00Z', end: '2026-12-06T00:00:00Z' }];
    expect(told({ ...saturdays, exclusions }, '2026-12-04T12:00Z')).toBe(
      'closed until 2026-12-12T01:00Z: waits for the end of an exclusion, Sun 2026-12-06 01:00 CET; then it waits for its window, Sat 2026-12-12 02:00 CET',
    );
    expect(told({ ...saturdays, exclusions }, '2026-12-01T12:00Z')).toMatch(
      /^closed until 2026-12-12T01:00Z: waits for its window/,
    );
  });

  test('windows that follow each other without a gap are asked for again in between', () => {
    const spec = { windows: [{ schedule: '0 * * * *', duration: '1h' }] };
    expect(told(spec, '2026-11-29T00:10Z')).toMatch(/^open until 2026-11-29T20:00Z/);
    expect(told(spec, '2026-11-29T20:00Z')).toMatch(/^open until 2026-11-30T16:00Z/);
  });
});

test('times are whole milliseconds', () => {
  const spec = { windows: [{ schedule: '0 2 * * *', duration: '1.1h' }] };
  expect(windowsAt(spec, Date.parse('2026-11-29T02:00Z')).until).toBe(
    Date.parse('2026-11-29T03:06Z'),
  );
});

test('a policy that cannot be followed is closed for ever', () => {
  const spec = { windows: [{ schedule: '0 2 30 2 *', duration: '1h' }] };
  expect(told(spec, '2026-11-29T00:00Z')).toMatch(
    /^closed for ever: spec\.windows\[0\]\.schedule: Invalid value: "0 2 30 2 \*"/,
  );
});

const iso = (time: number): string => new Date(time).toISOString();

test('the largest policy asks its schedules a bounded number of times', () => {
  const start = Date.UTC(2026, 0, 1);
  const day = 24 * 3_600_000;
  const spec: DisruptionPolicySpec = {
    windows: Array.from({ length: 20 }, (_, index) => ({
      schedule: `*/${index + 1} * * * *`,
      duration: `${61 + index}s`,
      timeZone: 'Australia/Lord_Howe',
    })),
    exclusions: Array.from({ length: 50 }, (_, index) => ({
      start: iso(start + 2 * index * day),
      end: iso(start + (2 * index + 1) * day),
    })),
  };
  let asked = 0;
  const count = (method: 'nextRun' | 'previousRuns'): (() => void) => {
    const real = Cron.prototype[method];
    Reflect.set(Cron.prototype, method, function counted(this: Cron, ...args: unknown[]) {
      asked += 1;
      return Reflect.apply(real, this, args);
    });
    return () => Reflect.set(Cron.prototype, method, real);
  };
  const restore = [count('nextRun'), count('previousRuns')];
  try {
    for (const hours of [12, 36, 60]) windowsAt(spec, start + hours * 3_600_000);
  } finally {
    for (const undo of restore) undo();
  }
  // Twenty for each look at one moment, of which an answer takes at most about twenty.
  expect(asked).toBeLessThan(3 * 20 * 25);
});
