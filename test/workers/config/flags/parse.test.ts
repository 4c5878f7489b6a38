import type { FlagValues } from '../../../../workers/config/flags/table.ts';
import { nearestFlag, readFlags } from '../../../../workers/config/flags/parse.ts';

const good: { name: string; argv: string[]; values: Partial<FlagValues> }[] = [
  { name: 'a value after an equals sign', argv: ['--port=80'], values: { port: 80 } },
  { name: 'a value in the next word', argv: ['--port', '80'], values: { port: 80 } },
  { name: 'one dash for a long name', argv: ['-port=80'], values: { port: 80 } },
  { name: 'an equals sign inside a value', argv: ['--vmodule=a=1'], values: { vmodule: 'a=1' } },
  { name: 'an empty value', argv: ['--control-kubeconfig='], values: { 'control-kubeconfig': '' } },
  { name: 'a value that starts with a dash', argv: ['--v', '-1'], values: { v: -1 } },
  { name: 'a bare boolean', argv: ['--profiling'], values: { profiling: true } },
  {
    name: 'a boolean set to false',
    argv: ['--leader-elect=false'],
    values: { 'leader-elect': false },
  },
  {
    name: 'a boolean in the words of Go',
    argv: ['--leader-elect=F'],
    values: { 'leader-elect': false },
  },
  { name: 'verbosity as -v=3', argv: ['-v=3'], values: { v: 3 } },
  { name: 'verbosity as -v 3', argv: ['-v', '3'], values: { v: 3 } },
  { name: 'verbosity as -v3', argv: ['-v3'], values: { v: 3 } },
  {
    name: 'underscores in a name',
    argv: ['--log_flush_frequency=1s'],
    values: { 'log-flush-frequency': 1 },
  },
  { name: 'the last of two', argv: ['--port=1', '--port=2'], values: { port: 2 } },
  {
    name: 'hours and minutes',
    argv: ['--machine-drain-timeout=1h30m'],
    values: { 'machine-drain-timeout': 5400 },
  },
  {
    name: 'a fraction of a minute',
    argv: ['--machine-drain-timeout=1.5m'],
    values: { 'machine-drain-timeout': 90 },
  },
  {
    name: 'milliseconds',
    argv: ['--leader-elect-retry-period=250ms'],
    values: { 'leader-elect-retry-period': 0.25 },
  },
  {
    name: 'a zero without a unit',
    argv: ['--resource-exhausted-retry=0'],
    values: { 'resource-exhausted-retry': 0 },
  },
  { name: 'a fractional rate', argv: ['--kube-api-qps=0.5'], values: { 'kube-api-qps': 0.5 } },
  {
    name: 'names with blanks',
    argv: ['--node-conditions=A, B,,'],
    values: { 'node-conditions': ['A', 'B'] },
  },
  { name: 'no names at all', argv: ['--node-conditions='], values: { 'node-conditions': [] } },
  {
    name: 'groups of bootstrap tokens with blanks, which the API server would refuse',
    argv: ['--bootstrap-token-auth-extra-groups=system:bootstrappers:a, system:bootstrappers:b:c,'],
    values: {
      'bootstrap-token-auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b:c',
    },
  },
  {
    name: 'no groups of bootstrap tokens',
    argv: ['--bootstrap-token-auth-extra-groups='],
    values: { 'bootstrap-token-auth-extra-groups': '' },
  },
  { name: 'an IPv6 address', argv: ['--address=::1'], values: { address: '::1' } },
  {
    name: 'an IPv6 host and port',
    argv: ['--temporal-address=[::1]:7233'],
    values: { 'temporal-address': '[::1]:7233' },
  },
];

test.each(good)('the flag parser reads $name', ({ argv, values }) => {
  const read = readFlags(argv, { component: 'worker' });
  expect(read.faults).toEqual([]);
  expect(read.values).toMatchObject(values);
});

const bad: { name: string; argv: string[]; fault: RegExp }[] = [
  {
    name: 'a misspelt flag',
    argv: ['--namespce=x'],
    fault: /--namespce is not known; did you mean --namespace\?/,
  },
  {
    name: 'a part of a name',
    argv: ['--kubeconfig=x'],
    fault: /did you mean --target-kubeconfig\?|did you mean --control-kubeconfig\?/,
  },
  {
    name: 'a flag like no other',
    argv: ['--zzzzzzzz'],
    fault: /--zzzzzzzz is not known; see --help/,
  },
  {
    name: 'a number with letters',
    argv: ['--port=80a'],
    fault: /--port: "80a" is not allowed; allowed: a whole number from 0 to 65535/,
  },
  { name: 'a number that is too large', argv: ['--port=65536'], fault: /--port: "65536"/ },
  {
    name: 'no work at all',
    argv: ['--concurrent-syncs=0'],
    fault: /--concurrent-syncs: "0" .* from 1/,
  },
  {
    name: 'a missing value',
    argv: ['--port'],
    fault: /--port has no value; allowed: a whole number/,
  },
  {
    name: 'a boolean in the next word',
    argv: ['--leader-elect', 'false'],
    fault: /"false" is not a flag.*--flag=false/,
  },
  {
    name: 'a boolean of other words',
    argv: ['--leader-elect=no'],
    fault: /--leader-elect: "no" is not allowed; allowed: true or false/,
  },
  {
    name: 'a duration without a unit',
    argv: ['--machine-drain-timeout=5'],
    fault: /"5" is not allowed; allowed: a duration/,
  },
  {
    name: 'a negative duration',
    argv: ['--machine-drain-timeout=-5s'],
    fault: /"-5s" is not allowed/,
  },
  { name: 'an unknown unit', argv: ['--machine-drain-timeout=5d'], fault: /"5d" is not allowed/ },
  { name: 'an empty duration', argv: ['--machine-drain-timeout='], fault: /"" is not allowed/ },
  {
    name: 'a namespace in capitals',
    argv: ['--namespace=Dev'],
    fault: /--namespace: "Dev" is not allowed/,
  },
  {
    name: 'a namespace for Leases that cannot be one',
    argv: ['--leader-elect-resource-namespace=leases/a'],
    fault: /--leader-elect-resource-namespace: "leases\/a" is not allowed; allowed: at most 63/,
  },
  {
    name: 'an address that is a name',
    argv: ['--address=localhost'],
    fault: /--address: "localhost" is not allowed/,
  },
  {
    name: 'a Temporal address with a scheme',
    argv: ['--temporal-address=http://a:1'],
    fault: /allowed: a host and a port/,
  },
  {
    name: 'another kind of lock',
    argv: ['--leader-elect-resource-lock=endpoints'],
    fault: /allowed: leases/,
  },
  ...[
    'machines',
    'system:bootstrappers',
    'system:bootstrappers:A',
    'system:bootstrappers:a-b:',
  ].map((group) => ({
    name: `a group of bootstrap tokens called ${group}`,
    argv: [`--bootstrap-token-auth-extra-groups=system:bootstrappers:a,${group}`],
    fault:
      /-groups: "[^"]*" is not allowed; allowed: names that begin with "system:bootstrappers:"/,
  })),
  { name: 'a word that is no flag', argv: ['worker'], fault: /"worker" is not a flag/ },
  { name: 'an empty word', argv: [''], fault: /"" is not a flag/ },
];

test.each(bad)('the flag parser refuses $name', ({ argv, fault }) => {
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
