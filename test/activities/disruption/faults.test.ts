import { faultsOf } from '../../../activities/disruption/faults.ts';
import type { DisruptionPolicySpec } from '../../../workflows/api/disruption-policy.ts';
import { aDisruptionPolicy } from '../../support/builders.ts';

const faultsIn = (spec: DisruptionPolicySpec): string[] => faultsOf(aDisruptionPolicy({ spec }));

const window = { schedule: '0 2 * * SAT', duration: '4h' };
const cron =
  'must be minute, hour, day of the month, month and day of the week as for cron, such as 0 2 * * SAT';
const zone = 'must be a time zone of the IANA database, such as Europe/Berlin or UTC';

test('a policy that can be followed has none', () => {
  expect(faultsIn({})).toEqual([]);
  expect(
    faultsIn({
      selector: { matchLabels: { pool: 'db' } },
      windows: [{ ...window, timeZone: 'America/Argentina/Buenos_Aires', lead: '30m' }],
      exclusions: [{ start: '2026-12-19T00:00:00Z', end: '2026-12-19T00:00:01.5+00:00' }],
    }),
  ).toEqual([]);
});

test.each<[string, DisruptionPolicySpec, string]>([
  [
    'a time zone that there is not',
    { windows: [window, { ...window, timeZone: 'Europe/Brlin' }] },
    `spec.windows[1].timeZone: Invalid value: "Europe/Brlin": ${zone}`,
  ],
  [
    'an offset, which knows no changes of the clocks',
    { windows: [{ ...window, timeZone: '+01:00' }] },
    `spec.windows[0].timeZone: Invalid value: "+01:00": ${zone}`,
  ],
  [
    'a schedule that never comes',
    { windows: [{ ...window, schedule: '0 2 31 2,4,6,9,11 *' }] },
    `spec.windows[0].schedule: Invalid value: "0 2 31 2,4,6,9,11 *": ${cron}: there is no such day`,
  ],
  [
    'six fields',
    { windows: [{ ...window, schedule: '0 0 2 * * SAT' }] },
    `spec.windows[0].schedule: Invalid value: "0 0 2 * * SAT": ${cron}: there are not five fields`,
  ],
  [
    'a nickname',
    { windows: [{ ...window, schedule: '@daily' }] },
    `spec.windows[0].schedule: Invalid value: "@daily": ${cron}: there are not five fields`,
  ],
  [
    'a range that goes backwards',
    { windows: [{ ...window, schedule: '0 22-2 * * *' }] },
    `spec.windows[0].schedule: Invalid value: "0 22-2 * * *": ${cron}: From value is larger than to value: '22-2'`,
  ],
  [
    'a lead that leaves nothing',
    { windows: [{ ...window, lead: '240m' }] },
    'spec.windows[0].lead: Invalid value: "240m": must be shorter than the duration, "4h"',
  ],
  [
    'a lead that is no duration',
    { windows: [{ ...window, lead: '-1h' }] },
    'spec.windows[0].lead: Invalid value: "-1h": must be a duration of 0 or more, such as 90s, 20m or 1h30m',
  ],
  [
    'no duration',
    { windows: [{ ...window, duration: '0s' }] },
    'spec.windows[0].duration: Invalid value: "0s": must be a duration of more than 0, such as 30m, 4h or 1h30m',
  ],
  [
    'an exclusion that ends before it starts',
    { exclusions: [{ start: '2026-12-19T00:00:00Z', end: '2026-12-19T00:30:00+01:00' }] },
    'spec.exclusions[0].end: Invalid value: "2026-12-19T00:30:00+01:00": must be after the start, "2026-12-19T00:00:00Z"',
  ],
  [
    'an exclusion without a zone',
    { exclusions: [{ start: '2026-12-19T00:00:00', end: '2026-12-20T00:00:00Z' }] },
    'spec.exclusions[0].start: Invalid value: "2026-12-19T00:00:00": must be a time such as 2026-12-19T00:00:00Z',
  ],
  [
    'a selector that selects by no label',
    { selector: { matchLabels: { 'a/b/c': 'd' } } },
    'spec.selector.matchLabels: Invalid value: "a/b/c": must be the key of a label, such as pool or example.com/pool',
  ],
])('%s', (_, spec, fault) => {
  expect(faultsIn(spec)).toEqual([fault]);
});
