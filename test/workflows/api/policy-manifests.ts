/** DisruptionPolicies at the edge of what the rules in deploy/crds allow. */
import { ownGroup } from '../../../workflows/api/constants.ts';

export interface PolicyManifest {
  apiVersion: string;
  kind: 'DisruptionPolicy';
  metadata: { name: string };
  spec?: Record<string, unknown>;
}

const policy = (spec?: Record<string, unknown>): PolicyManifest => ({
  apiVersion: `${ownGroup}/v1alpha1`,
  kind: 'DisruptionPolicy',
  metadata: { name: 'edge' },
  ...(spec && { spec }),
});

const window = (change: Record<string, unknown> = {}): PolicyManifest =>
  policy({ windows: [{ schedule: '0 2 * * SAT', duration: '4h', ...change }] });

const schedule = (text: string): PolicyManifest => window({ schedule: text });

const exclusion = (change: Record<string, unknown> = {}): PolicyManifest =>
  policy({
    exclusions: [{ start: '2026-12-19T00:00:00Z', end: '2027-01-04T00:00:00Z', ...change }],
  });

export const acceptedPolicies: { name: string; object: PolicyManifest }[] = [
  { name: 'a policy that says nothing', object: policy({}) },
  {
    name: 'a policy with every field',
    object: policy({
      selector: {
        matchLabels: { pool: 'db' },
        matchExpressions: [{ key: 'zone', operator: 'Exists' }],
      },
      reasons: ['Rollout', 'Replace', 'Repair'],
      windows: [
        { schedule: '0 2 * * SAT', duration: '4h', timeZone: 'Europe/Berlin', lead: '30m' },
      ],
      exclusions: [
        { start: '2026-12-19T00:00:00+01:00', end: '2027-01-04T00:00:00Z', reason: 'Christmas' },
      ],
      atATime: { machines: '25%', deployments: 1 },
      surge: 1,
    }),
  },
  { name: 'no machines at a time', object: policy({ atATime: { machines: 0 } }) },
  { name: 'the largest policy', object: policy(largest()) },
  ...[
    '* * * * *',
    '*/15 0-23/2 1-31/2 1-12/3 *',
    '0,30 2,14 1,15,L JAN,JUL SUN',
    '00 02 01 01 7',
    '0 2 8-14 6-8 MON-FRI',
    '0 2 * * SAT#2,SUNL',
    '59 23 31 12 0-6/2',
  ].map((text) => ({ name: `the schedule ${text}`, object: schedule(text) })),
  ...['1s', '90m', '1.5h', '1h30m', '+4h', '.5h', '2µs'].map((duration) => ({
    name: `a window of ${duration}`,
    object: window({ duration }),
  })),
  ...['0', '0s', '3h59m59s'].map((lead) => ({
    name: `a lead of ${lead}`,
    object: window({ lead }),
  })),
  ...['UTC', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'EST5EDT'].map((timeZone) => ({
    name: `the zone ${timeZone}`,
    object: window({ timeZone }),
  })),
];

/** As many windows and exclusions as there may be, as long as they may be. */
function largest(): Record<string, unknown> {
  const minutes = Array.from({ length: 39 }, (_, minute) => minute).join(',');
  return {
    windows: Array.from({ length: 20 }, () => ({
      schedule: `${minutes} 2,3 1,2 1,2 SAT`,
      duration: '100h60m60s1000ms1000000us1000ns',
      lead: '99h60m60s1000ms1000000us1000ns',
      timeZone: 'America/Argentina/ComodRivadavia',
    })),
    exclusions: Array.from({ length: 50 }, () => ({
      start: '2026-12-19T00:00:00.000000001+01:00',
      end: '2027-12-19T00:00:00.000000001+01:00',
      reason: 'x'.repeat(200),
    })),
  };
}

const rules = {
  fields:
    'must have five fields (minute, hour, day of the month, month, day of the week) with one blank between them, such as 0 2 * * SAT',
  minutes: 'must have minutes of 0 to 59 as its first field, such as 30, 0,30 or */15',
  hours: 'must have hours of 0 to 23 as its second field, such as 2, 2,14 or 22-23',
  daysOfMonth:
    'must have days of the month of 1 to 31 as its third field, such as 1, 8-14, L for the last or *',
  months:
    'must have months of 1 to 12 or JAN to DEC as its fourth field, such as *, 6-8 or JAN,JUL',
  daysOfWeek:
    'must have days of the week of 0 to 7 or SUN to SAT as its fifth field, such as SAT, MON-FRI, SAT#2 for the second in the month or SATL for the last',
  duration: 'must be a duration of more than 0, such as 30m, 4h or 1h30m',
  lead: 'must be a duration of 0 or more, such as 90s, 20m or 1h30m',
  timeZone: 'must be a time zone of the IANA database, such as Europe/Berlin or UTC',
  time: 'must be a time such as 2026-12-19T00:00:00Z',
  machines: 'must be a number of 0 or more, or a percentage such as 25%',
};

const badSchedules: [text: string, rule: keyof typeof rules][] = [
  ['', 'fields'],
  ['0 2 * *', 'fields'],
  ['0 0 2 * * SAT', 'fields'],
  ['0  2 * * SAT', 'fields'],
  ['@daily', 'fields'],
  ['60 2 * * *', 'minutes'],
  ['5/5 2 * * *', 'minutes'],
  ['*/0 2 * * *', 'minutes'],
  ['0, 2 * * *', 'minutes'],
  ['0 24 * * *', 'hours'],
  ['0 2 0 * *', 'daysOfMonth'],
  ['0 2 15W * *', 'daysOfMonth'],
  ['0 2 * 13 *', 'months'],
  ['0 2 * * 8', 'daysOfWeek'],
  ['0 2 * * sat', 'daysOfWeek'],
  ['0 2 * * ?', 'daysOfWeek'],
  ['0 2 * * +SAT', 'daysOfWeek'],
];

/** `faults`: all that is said, one a field. */
export const refusedPolicies: { name: string; object: PolicyManifest; faults: string[] }[] = [
  { name: 'a policy without spec', object: policy(), faults: ['spec: Required value'] },
  {
    name: 'a reason that there is not',
    object: policy({ reasons: ['Rollout', 'Drain'] }),
    faults: [
      'spec.reasons[1]: Unsupported value: "Drain": supported values: "Rollout", "Replace", "Repair"',
    ],
  },
  {
    name: 'no reason',
    object: policy({ reasons: [] }),
    faults: ['spec.reasons: Invalid value: 0: spec.reasons in body should have at least 1 items'],
  },
  ...badSchedules.map(([text, rule]) => ({
    name: `the schedule ${JSON.stringify(text)}`,
    object: schedule(text),
    faults: [`spec.windows[0].schedule: Invalid value: ${JSON.stringify(text)}: ${rules[rule]}`],
  })),
  {
    name: 'a window without schedule and duration',
    object: policy({ windows: [{}] }),
    faults: [
      'spec.windows[0].duration: Required value',
      'spec.windows[0].schedule: Required value',
    ],
  },
  ...['0s', '0', '4', '-4h', '1d', ''].map((duration) => ({
    name: `a window of ${JSON.stringify(duration)}`,
    object: window({ duration }),
    faults: [
      `spec.windows[0].duration: Invalid value: ${JSON.stringify(duration)}: ${rules.duration}`,
    ],
  })),
  {
    name: 'a lead as long as the window',
    object: window({ lead: '240m' }),
    faults: [
      'spec.windows[0].lead: Invalid value: "240m": must be shorter than the duration, "4h"',
    ],
  },
  {
    name: 'a lead that is no duration',
    object: window({ lead: 'soon' }),
    faults: [`spec.windows[0].lead: Invalid value: "soon": ${rules.lead}`],
  },
  {
    name: 'an offset as a zone',
    object: window({ timeZone: '+01:00' }),
    faults: [`spec.windows[0].timeZone: Invalid value: "+01:00": ${rules.timeZone}`],
  },
  {
    name: 'an exclusion that ends as it starts',
    object: exclusion({ end: '2026-12-19T01:00:00+01:00' }),
    faults: [
      'spec.exclusions[0].end: Invalid value: "2026-12-19T01:00:00+01:00": must be after the start, "2026-12-19T00:00:00Z"',
    ],
  },
  {
    name: 'an exclusion from a day without a time to no time at all',
    object: exclusion({ start: '2026-12-19', end: '2027-01-04 00:00' }),
    faults: [
      `spec.exclusions[0].end: Invalid value: "2027-01-04 00:00": ${rules.time}`,
      `spec.exclusions[0].start: Invalid value: "2026-12-19": ${rules.time}`,
    ],
  },
  {
    name: 'an exclusion until a day that there is not',
    object: exclusion({ end: '2027-02-30T00:00:00Z' }),
    faults: [
      `spec.exclusions[0]: Invalid value: "object": type conversion error from 'string' to 'google.protobuf.Timestamp' evaluating rule: must be after the start`,
    ],
  },
  ...[-1, '25', '-5%'].map((machines) => ({
    name: `${machines} machines at a time`,
    object: policy({ atATime: { machines } }),
    faults: [
      `spec.atATime.machines: Invalid value: ${JSON.stringify(machines)}: ${rules.machines}`,
    ],
  })),
  {
    name: 'no deployments at a time',
    object: policy({ atATime: { deployments: 0 } }),
    faults: [
      'spec.atATime.deployments: Invalid value: 0: must be a whole number of 1 or more; without it there is no limit',
    ],
  },
  ...[{}, { atATime: { machines: 1 } }, { atATime: { deployments: 2 } }].map((more) => ({
    name: `surge with ${JSON.stringify(more)}`,
    object: policy({ surge: 2, ...more }),
    faults: [
      'spec.surge: Invalid value: needs atATime.deployments: 1, because it is for the one deployment whose turn it is',
    ],
  })),
  {
    name: 'no surge',
    object: policy({ surge: 0, atATime: { deployments: 1 } }),
    faults: [
      "spec.surge: Invalid value: 0: must be a whole number of 1 or more; without it the deployment's own maxSurge holds",
    ],
  },
  {
    name: 'more windows and exclusions than there may be',
    object: policy({
      windows: Array.from({ length: 21 }, () => ({ schedule: '0 2 * * *', duration: '1h' })),
      exclusions: Array.from({ length: 51 }, () => ({
        start: '2026-12-19T00:00:00Z',
        end: '2027-01-04T00:00:00Z',
      })),
    }),
    faults: [
      'spec.exclusions: Too many: 51: must have at most 50 items',
      'spec.windows: Too many: 21: must have at most 20 items',
    ],
  },
];
