import type { ParsedOptions } from '../../../../../workflows/plan/machine-deployment/rollout/options.ts';
import { parseOptions } from '../../../../../workflows/plan/machine-deployment/rollout/options.ts';

function parse(annotations: Record<string, string>, replicas = 10): ParsedOptions {
  const now = Date.parse('2026-01-30T22:00:00Z');
  return parseOptions({ annotations, replicas, parseTime: (text) => Date.parse(text), now });
}

const none: ParsedOptions = {
  faults: [],
  autoRollback: false,
  onDelete: false,
  honorsMinReadySeconds: false,
  soakSeconds: 0,
};

test('without annotations of ours everything is off', () => {
  expect(parse({ note: 'x', 'other.example/canary': '1' })).toEqual(none);
});

test.each([
  ['canry', ' means nothing: did you mean millwright.dev/canary?'],
  ['AutoRollback', ' means nothing: did you mean millwright.dev/auto-rollback?'],
  ['soak-time', ' means nothing'],
  ['x'.repeat(99), ' means nothing'],
])('an option that is none, %s, is a fault: it would have no effect', (key, fault) => {
  const { faults } = parse({ [`millwright.dev/${key}`]: '1' });
  expect(faults).toEqual([expect.stringMatching(/^annotation "millwright.dev\//)]);
  expect(faults[0]).toContain(fault);
});

test('names of other kinds are no faults, and of many nonsense ones few are named', () => {
  expect(parse({ 'millwright.dev/skip-drain': 'true' }).faults).toEqual([]);
  const many = Object.fromEntries(
    Array.from({ length: 999 }, (_, n) => [`millwright.dev/${n}`, '']),
  );
  expect(parse(many).faults).toHaveLength(5);
});

const time = '2026-01-31T22:00:00Z';

test.each<{ key: string; text: string; replicas?: number; expected: Partial<ParsedOptions> }>([
  { key: 'auto-rollback', text: 'true', expected: { autoRollback: true } },
  { key: 'auto-rollback', text: 'false', expected: {} },
  { key: 'in-place-failure', text: 'stop', expected: {} },
  { key: 'in-place-failure', text: 'replace', expected: { inPlaceFailure: 'replace' } },
  { key: 'on-delete', text: 'true', expected: { onDelete: true } },
  { key: 'honor-min-ready-seconds', text: 'true', expected: { honorsMinReadySeconds: true } },
  { key: 'soak', text: '1m30s', expected: { soakSeconds: 90 } },
  { key: 'soak', text: '0', expected: {} },
  { key: 'canary', text: '2', expected: { canary: 2 } },
  { key: 'canary', text: '25%', expected: { canary: 3 } },
  { key: 'canary', text: '1%', expected: { canary: 1 } },
  { key: 'canary', text: '25%', replicas: 0, expected: { canary: 1 } },
  { key: 'canary', text: '100%', expected: { canary: 10 } },
  {
    key: 'canary',
    text: '1 for 90s',
    expected: { canary: 1, waves: [{ machines: 1, seconds: 90 }] },
  },
  {
    key: 'canary',
    text: '1,25% for 30m, 50% for 1h',
    replicas: 9,
    expected: {
      canary: 1,
      waves: [{ machines: 1 }, { machines: 3, seconds: 1_800 }, { machines: 5, seconds: 3_600 }],
    },
  },
  {
    key: 'canary',
    text: '10%, 3, 20%, 5',
    expected: { canary: 1, waves: [1, 3, 2, 5].map((machines) => ({ machines })) },
  },
  { key: 'canary-passed', text: '3', expected: { canaryPassed: 3 } },
  { key: 'canary-passed', text: '3:2', expected: { wavesPassed: { revision: 3, count: 2 } } },
  {
    key: 'canary-since',
    text: `3:2 ${time} 5 ${time}`,
    expected: {
      waveNote: {
        revision: 3,
        count: 2,
        since: Date.parse(time),
        machines: { count: 5, youngest: Date.parse(time) },
      },
    },
  },
  {
    key: 'canary-since',
    text: `3:2 ${time} failed`,
    expected: { waveNote: { revision: 3, count: 2, since: Date.parse(time) } },
  },
  ...['', '3', `3 ${time} failed`, '3:2 monday failed', `3:2 ${time}`, `3:2 ${time} 5`].map(
    (text) => ({ key: 'canary-since', text, expected: {} }),
  ),
  ...[`3:2 ${time} failed twice`, `3:2 ${time} 5 ${time} x`, `3:2 ${time} -1 ${time}`].map(
    (text) => ({ key: 'canary-since', text, expected: {} }),
  ),
  { key: 'replacement-budget', text: '1', expected: { replacementBudget: 1 } },
  { key: 'replacement-budget', text: '15%', expected: { replacementBudget: 2 } },
  {
    key: 'rollout-after',
    text: time,
    expected: { rolloutAfter: { at: Date.parse(time), text: time } },
  },
  {
    key: 'rollout-after',
    text: '2026-02-01T00:00:00.5+02:00',
    expected: { rolloutAfter: { at: Date.parse(time) + 500, text: '2026-02-01T00:00:00.5+02:00' } },
  },
  {
    key: 'override-policies',
    text: `${time} CVE-2026-1234, all zones`,
    expected: {
      overridePolicies: { until: Date.parse(time), reason: 'CVE-2026-1234, all zones' },
    },
  },
  {
    key: 'override-policies',
    text: '2026-02-06T22:00:00Z seven days',
    expected: {
      overridePolicies: { until: Date.parse('2026-02-06T22:00:00Z'), reason: 'seven days' },
    },
  },
  {
    key: 'override-policies',
    text: '2026-01-01T00:00:00Z it is over',
    expected: {
      overridePolicies: { until: Date.parse('2026-01-01T00:00:00Z'), reason: 'it is over' },
    },
  },
  { key: 'restart', text: 'monday', expected: { restart: 'monday' } },
  { key: 'restart', text: '', expected: { restart: '' } },
  { key: 'rolled-back-from', text: 'pool-abcde', expected: { rolledBackFrom: 'pool-abcde' } },
])('the option $key: $text, of $replicas replicas', ({ key, text, replicas, expected }) => {
  expect(parse({ [`millwright.dev/${key}`]: text }, replicas)).toEqual({ ...none, ...expected });
});

describe('nonsense is a fault that names annotation, value and what is allowed, and counts as absent', () => {
  const boolean = { may: 'must be true or false', texts: ['', 'yes', 'True', '1', ' true'] };
  const count = {
    may: 'must be a number of 1 or more, or a percentage such as 25%',
    texts: ['', '0', '0%', '-1', '1.5', '2.5%', '%', 'half', '1000%', '5 %', '1e3'],
  };
  const table = [
    { key: 'auto-rollback', ...boolean },
    { key: 'in-place-failure', may: 'must be stop or replace', texts: ['', 'Stop', 'true'] },
    { key: 'on-delete', ...boolean },
    { key: 'honor-min-ready-seconds', ...boolean },
    {
      key: 'soak',
      may: 'must be a duration of 0 or more, such as 90s, 20m or 1h30m',
      texts: ['', '90', '-5s', 'soon', '1 h'],
    },
    {
      key: 'canary',
      may: `${count.may}, or several that grow, each alone or with a time: 1, 25% for 30m`,
      texts: [
        ...count.texts,
        '1,',
        ',',
        '1 2',
        '1 for',
        '1 for 0s',
        '1 for soon',
        '1 until 5m',
        '1 for 5m 6m',
        '2, 1',
        '1, 1',
        '25%, 1, 25%',
        '1, 0',
        Array.from({ length: 21 }, (_, n) => n + 1).join(),
      ],
    },
    { key: 'replacement-budget', ...count },
    {
      key: 'canary-passed',
      may: 'must be a revision, such as 3, or waves of it that are passed, such as 3:1',
      texts: ['', 'yes', '-1', '1.5', '3:', ':1', '3:x', '3:1:1'],
    },
    {
      key: 'rollout-after',
      may: 'must be a time such as 2026-01-31T22:00:00Z',
      texts: [
        '',
        '5',
        '2026',
        '2026-01-31',
        '2026-01-31T22:00:00',
        '2026-13-31T22:00:00Z',
        'tomorrow',
      ],
    },
    {
      key: 'override-policies',
      may: 'must be a time of at most 7 days from now and a reason, such as 2026-01-31T22:00:00Z CVE-2026-1234',
      texts: [
        '',
        time,
        `${time} `,
        'CVE-2026-1234',
        `CVE-2026-1234 ${time}`,
        'tomorrow CVE-2026-1234',
        '2026-02-07T22:00:00Z eight days',
        `${time} two\nlines`,
      ],
    },
  ];
  const rows = table.flatMap(({ key, may, texts }) => texts.map((text) => ({ key, text, may })));

  test.each(rows)('$key: "$text"', ({ key, text, may }) => {
    const name = `millwright.dev/${key}`;
    const fault = `annotation ${name}: Invalid value: ${JSON.stringify(text)}: ${may}`;
    expect(parse({ [name]: text })).toEqual({ ...none, faults: [fault] });
  });

  test('reports all faults', () => {
    const { faults } = parse({ 'millwright.dev/soak': 'x', 'millwright.dev/canary': 'y' });
    expect(faults).toHaveLength(2);
  });
});
