/** The calendar against a model with another library, in all zones, where clocks change. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { windowsAt } from '../../../activities/disruption/calendar.ts';
import type { DisruptionPolicySpec } from '../../../workflows/api/disruption-policy.ts';
import { changesIn, modelAt, scheduleOf } from './calendar-model.ts';
import type { Fields, ModelPolicy } from './calendar-model.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const zones = Intl.supportedValuesOf('timeZone');

/** Clocks there change by half an hour, at midnight, over midnight, and by a whole day. */
const odd = [
  ['Australia/Lord_Howe', 2026],
  ['Africa/Cairo', 2026],
  ['America/Nuuk', 2025],
  ['Pacific/Apia', 2011],
  ['Antarctica/Troll', 2026],
  ['Africa/Casablanca', 2026],
  ['America/Caracas', 2007],
] as const;

const place = fc.oneof(
  fc.tuple(fc.constantFrom(...zones), fc.integer({ min: 2000, max: 2100 })),
  fc.constantFrom(...odd),
  fc.tuple(
    fc.constantFrom('Europe/Berlin', 'America/New_York'),
    fc.integer({ min: 2000, max: 2100 }),
  ),
);

const within = (minutes: number): fc.Arbitrary<number> =>
  fc.integer({ min: -minutes, max: minutes });

/** Near a change of the clocks where there is one in the year, else anywhere in it. */
const moment = fc
  .record({
    place,
    which: fc.nat(),
    minutes: fc.oneof(within(4 * 60), within(36 * 60)),
    day: fc.nat(364),
  })
  .map(({ place: [zone, year], which, minutes, day }) => {
    const changes = changesIn(year, zone);
    const base = changes[which % Math.max(1, changes.length)] ?? Date.UTC(year, 0, 1) + day * dayMs;
    const { hour } = DateTime.fromMillis(base, { zone });
    return { zone, now: base + minutes * minuteMs, hour };
  });

const list = (max: number, min = 0): fc.Arbitrary<number[]> =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 });

/** `hour`: of the change of the clocks, so that many schedules lie in a skipped or repeated one. */
function fieldsNear(hour: number): fc.Arbitrary<Fields> {
  const near = fc.constantFrom(-2, -1, 0).map((by) => [(hour + by + 24) % 24]);
  return fc.record({
    minutes: list(59),
    hours: fc.oneof(fc.constant(undefined), list(23), near, near),
    daysOfMonth: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: list(28, 1) },
    ),
    months: fc.constant(undefined),
    daysOfWeek: fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: list(6) },
    ),
  });
}

const length = fc.integer({ min: 1, max: 8 * 60 }).chain((durationMinutes) =>
  fc.record({
    durationMinutes: fc.constant(durationMinutes),
    leadMinutes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: durationMinutes - 1 })),
  }),
);

const policies = moment.chain(({ zone, now, hour }) => {
  const aZone = fc.oneof(fc.constant(zone), fc.constant(zone), fc.constantFrom(...zones));
  const aWindow = fc
    .record({ fields: fieldsNear(hour), zone: aZone, length })
    .map(({ length: both, ...rest }) => ({ ...rest, ...both }));
  const anExclusion = fc
    .record({ from: fc.integer({ min: -60, max: 100 }), hours: fc.integer({ min: 1, max: 60 }) })
    .map(({ from, hours }) => ({ start: now + from * hourMs, end: now + (from + hours) * hourMs }));
  return fc.record({
    now: fc.constant(now),
    policy: fc.record({
      windows: fc.array(aWindow, { maxLength: 2 }),
      exclusions: fc.array(anExclusion, { maxLength: 2 }),
    }),
  });
});

const iso = (time: number): string => new Date(time).toISOString();

function specOf({ windows, exclusions }: ModelPolicy): DisruptionPolicySpec {
  return {
    windows: windows.map((window) => ({
      schedule: scheduleOf(window.fields),
      duration: `${window.durationMinutes}m`,
      timeZone: window.zone,
      lead: `${window.leadMinutes}m`,
    })),
    exclusions: exclusions.map(({ start, end }) => ({
      start: iso(start),
      end: iso(end),
    })),
  };
}

/** Windows in a long row are asked for again at what was given as their end. */
function changeAfter(spec: DisruptionPolicySpec, now: number, horizon: number): number {
  const { isOpen, until = Infinity } = windowsAt(spec, now);
  if (!isOpen || until >= horizon) return until;
  return windowsAt(spec, until).isOpen ? changeAfter(spec, until, horizon) : until;
}

/** How far the model goes, which takes time for each minute. */
const aheadDays = 10;

test('a policy is open when the model says so, and until then', () => {
  fc.assert(
    fc.property(policies, ({ policy, now }) => {
      const horizon = now + (aheadDays - 2) * dayMs;
      const spec = specOf(policy);
      const change = changeAfter(spec, now, horizon);
      const { isOpen, until } = modelAt(policy, now, aheadDays);
      expect([windowsAt(spec, now).isOpen, change < horizon ? iso(change) : 'later']).toEqual([
        isOpen,
        until === undefined ? 'later' : iso(until),
      ]);
    }),
    { numRuns: 200 },
  );
});
