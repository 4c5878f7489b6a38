import { expect, test } from 'vitest';
import { showQueues } from '../../cli/driver-queue.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { readArguments, UsageError } from '../../cli/arguments.ts';

const verify = (...words: string[]) => readArguments(['driver', 'verify', ...words]);

test('the queue is that of the install, or as it is said', () => {
  expect(verify('--provider=acme')).toMatchObject({
    command: 'verify',
    provider: 'acme',
    queue: undefined,
    install: undefined,
    badSpecs: [],
    isJson: false,
  });
  const named = ['--install=blue', '--cluster-id=seed'];
  expect(verify('--provider=acme', ...named)).toMatchObject({
    install: 'blue',
    clusterId: 'seed',
  });
  expect(verify('--provider=acme', '--queue=mine', '-n', 'shoot', '-o', 'json')).toMatchObject({
    queue: 'mine',
    namespace: 'shoot',
    isJson: true,
  });
});

test.each([
  { argv: [], queue: 'millwright/uid-of-cluster/shoot/driver/acme' },
  { argv: ['--install=blue'], queue: 'millwright/uid-of-cluster/blue/driver/acme' },
  { argv: ['--cluster-id=seed'], queue: 'millwright/seed/shoot/driver/acme' },
])('the queue of a driver is printed, given $argv', async ({ argv, queue }) => {
  const asked = readArguments(['driver', 'queue', '--provider=acme', '-n', 'shoot', ...argv]);
  if (asked.command !== 'queue') throw new Error(asked.command);
  const kubeSystem = {
    kind: 'Namespace',
    metadata: { name: 'kube-system', uid: 'uid-of-cluster' },
  };
  const place = { kube: new InMemoryClient(kubeSystem), namespace: 'shoot' };
  const queues = ['create', 'delete', 'read'].map((call) => `${queue}/${call}`);
  expect(await showQueues(place, asked)).toBe(queues.join('\n'));
  expect(JSON.parse(await showQueues(place, { ...asked, isJson: true }))).toEqual({ queues });
});

test('wrong specs for millwright driver are read in their order', () => {
  const words = ['--bad-spec={"size": "huge", "zone": "a"}', '--bad-spec', '{"zone": 1}'];
  expect(verify('--provider=acme', ...words)).toMatchObject({
    badSpecs: [{ size: 'huge', zone: 'a' }, { zone: 1 }],
  });
});

test('troubles are arranged by a command, if there is one', () => {
  expect(verify('--provider=acme')).toMatchObject({ trouble: undefined });
  expect(verify('--provider=acme', '--trouble', './fake behave')).toMatchObject({
    trouble: './fake behave',
  });
});

test.each([['driver'], ['driver', '--help'], ['driver', 'verify', '-h'], ['driver', 'help']])(
  'help is given for %s %s',
  (...argv) => {
    expect(readArguments(argv)).toEqual({ command: 'driver help' });
  },
);

test.each([
  { name: 'no provider', argv: ['verify'], says: /--provider is missing/ },
  { name: 'another command', argv: ['try'], says: /command "driver try" is not known/ },
  { name: 'too many words', argv: ['verify', 'now'], says: /"now" is too much/ },
  { name: 'an unknown format', argv: ['verify', '--provider=a', '-o=xml'], says: /--output is/ },
  { name: 'an unknown option', argv: ['verify', '--cloud=a'], says: /--cloud/ },
  {
    name: 'a wrong spec that is no object',
    argv: ['verify', '--provider=a', '--bad-spec=[]'],
    says: /--bad-spec is "\[\]"; allowed: a JSON object/,
  },
  {
    name: 'a wrong spec that is no JSON',
    argv: ['verify', '--provider=a', '--bad-spec=size'],
    says: /--bad-spec is "size"/,
  },
])('the arguments of millwright driver are refused in words: $name', ({ argv, says }) => {
  expect(() => readArguments(['driver', ...argv])).toThrow(UsageError);
  expect(() => readArguments(['driver', ...argv])).toThrow(says);
});
