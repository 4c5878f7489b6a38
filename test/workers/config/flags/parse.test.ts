import type { FlagValues } from '../../../../workers/config/flags/table.ts';
import { nearestFlag, readFlags } from '../../../../workers/config/flags/parse.ts';

const good: [name: string, argv: string[], values: Partial<FlagValues>][] = [
  ['a value after an equals sign', ['--port=80'], { port: 80 }],
  ['a value in the next word', ['--port', '80'], { port: 80 }],
  ['one dash for a long name', ['-port=80'], { port: 80 }],
  ['an equals sign inside a value', ['--vmodule=a=1'], { vmodule: 'a=1' }],
  ['an empty value', ['--control-kubeconfig='], { 'control-kubeconfig': '' }],
  ['a value that starts with a dash', ['--v', '-1'], { v: -1 }],
  ['a bare boolean', ['--profiling'], { profiling: true }],
  ['a boolean set to false', ['--leader-elect=false'], { 'leader-elect': false }],
  ['a boolean in the words of Go', ['--leader-elect=F'], { 'leader-elect': false }],
  ['verbosity as -v=3', ['-v=3'], { v: 3 }],
  ['verbosity as -v 3', ['-v', '3'], { v: 3 }],
  ['verbosity as -v3', ['-v3'], { v: 3 }],
  ['underscores in a name', ['--log_flush_frequency=1s'], { 'log-flush-frequency': 1 }],
  ['the last of two', ['--port=1', '--port=2'], { port: 2 }],
  ['hours and minutes', ['--machine-drain-timeout=1h30m'], { 'machine-drain-timeout': 5400 }],
  ['a fraction of a minute', ['--machine-drain-timeout=1.5m'], { 'machine-drain-timeout': 90 }],
  ['milliseconds', ['--leader-elect-retry-period=250ms'], { 'leader-elect-retry-period': 0.25 }],
  ['a zero without a unit', ['--resource-exhausted-retry=0'], { 'resource-exhausted-retry': 0 }],
  ['a fractional rate', ['--kube-api-qps=0.5'], { 'kube-api-qps': 0.5 }],
  ['names with blanks', ['--node-conditions=A, B,,'], { 'node-conditions': ['A', 'B'] }],
  ['no names at all', ['--node-conditions='], { 'node-conditions': [] }],
  [
    'groups of bootstrap tokens with blanks, which the API server would refuse',
    ['--bootstrap-token-auth-extra-groups=system:bootstrappers:a, system:bootstrappers:b:c,'],
    {
      'bootstrap-token-auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b:c',
    },
  ],
  [
    'no groups of bootstrap tokens',
    ['--bootstrap-token-auth-extra-groups='],
    { 'bootstrap-token-auth-extra-groups': '' },
  ],
  ['an IPv6 address', ['--address=::1'], { address: '::1' }],
  [
    'an IPv6 host and port',
    ['--temporal-address=[::1]:7233'],
    { 'temporal-address': '[::1]:7233' },
  ],
];

test.each(good)('the flag parser reads %s', (_name, argv, values) => {
  const read = readFlags(argv, { component: 'worker' });
  expect(read.faults).toEqual([]);
  expect(read.values).toMatchObject(values);
});

const bad: [name: string, argv: string[], fault: RegExp][] = [
  ['a misspelt flag', ['--namespce=x'], /--namespce is not known; did you mean --namespace\?/],
  [
    'a part of a name',
    ['--kubeconfig=x'],
    /did you mean --target-kubeconfig\?|did you mean --control-kubeconfig\?/,
  ],
  ['a flag like no other', ['--zzzzzzzz'], /--zzzzzzzz is not known; see --help/],
  [
    'a number with letters',
    ['--port=80a'],
    /--port: "80a" is not allowed; allowed: a whole number from 0 to 65535/,
  ],
  ['a number that is too large', ['--port=65536'], /--port: "65536"/],
  ['no work at all', ['--concurrent-syncs=0'], /--concurrent-syncs: "0" .* from 1/],
  ['a missing value', ['--port'], /--port has no value; allowed: a whole number/],
  [
    'a boolean in the next word',
    ['--leader-elect', 'false'],
    /"false" is not a flag.*--flag=false/,
  ],
  [
    'a boolean of other words',
    ['--leader-elect=no'],
    /--leader-elect: "no" is not allowed; allowed: true or false/,
  ],
  [
    'a duration without a unit',
    ['--machine-drain-timeout=5'],
    /"5" is not allowed; allowed: a duration/,
  ],
  ['a negative duration', ['--machine-drain-timeout=-5s'], /"-5s" is not allowed/],
  ['an unknown unit', ['--machine-drain-timeout=5d'], /"5d" is not allowed/],
  ['an empty duration', ['--machine-drain-timeout='], /"" is not allowed/],
  ['a namespace in capitals', ['--namespace=Dev'], /--namespace: "Dev" is not allowed/],
  [
    'a namespace for Leases that cannot be one',
    ['--leader-elect-resource-namespace=leases/a'],
    /--leader-elect-resource-namespace: "leases\/a" is not allowed; allowed: at most 63/,
  ],
  ['an address that is a name', ['--address=localhost'], /--address: "localhost" is not allowed/],
  [
    'a Temporal address with a scheme',
    ['--temporal-address=http://a:1'],
    /allowed: a host and a port/,
  ],
  ['another kind of lock', ['--leader-elect-resource-lock=endpoints'], /allowed: leases/],
  ...[
    'machines',
    'system:bootstrappers',
    'system:bootstrappers:A',
    'system:bootstrappers:a-b:',
  ].map((group): [string, string[], RegExp] => [
    `a group of bootstrap tokens called ${group}`,
    [`--bootstrap-token-auth-extra-groups=system:bootstrappers:a,${group}`],
    /-groups: "[^"]*" is not allowed; allowed: names that begin with "system:bootstrappers:"/,
  ]),
  ['a word that is no flag', ['worker'], /"worker" is not a flag/],
  ['an empty word', [''], /"" is not a flag/],
];

test.each(bad)('the flag parser refuses %s', (_name, argv, fault) => {
  const { faults } = readFlags(argv, { component: 'worker' });
  expect(faults).toEqual([expect.stringMatching(fault)]);
});

describe('what was asked for', () => {
  test.each(['--help', '-h', '-help'])('%s asks for help', (word) => {
    expect(readFlags(['--port=80', word], { component: 'worker' }).asksFor).toBe('help');
  });

  test('--version asks for the version', () => {
    expect(readFlags(['--version'], { component: 'worker' }).asksFor).toBe('version');
  });

  test('only written flags count as given', () => {
    expect([...readFlags(['--port=80'], { component: 'worker' }).given]).toEqual(['port']);
  });
});

test('each process has the port of its counterpart in MCM', () => {
  // The watcher sends signals instead of syncing objects, so MCM's 10 would only slow it down.
  expect(readFlags([], { component: 'watcher' }).values).toMatchObject({
    port: 10_258,
    'concurrent-syncs': 64,
  });
  expect(readFlags([], { component: 'worker' }).values).toMatchObject({
    port: 10_259,
    'concurrent-syncs': 50,
  });
});

test('a short wrong name gets no wild guess', () => {
  expect(nearestFlag('x')).toBeUndefined();
  expect(nearestFlag('abc')).toBeUndefined();
});
