import { showQueues } from '../../cli/driver/queue.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { CommanderError } from 'commander';
import { readArguments } from '../support/command-line.ts';

const verify = (...words: string[]) => readArguments(['driver', 'verify', ...words]);

test('the queue is that of the install, or as it is said', () => {
  expect(verify('--provider=acme')).toMatchObject({
    provider: 'acme',
    badSpecs: [],
  });
  const named = ['--install=blue', '--cluster-id=seed'];
  expect(verify('--provider=acme', ...named)).toMatchObject({
    install: 'blue',
    clusterId: 'seed',
  });
  expect(verify('--provider=acme', '--queue=mine', '-n', 'shoot', '-o', 'json')).toMatchObject({
    queue: 'mine',
    namespace: 'shoot',
    output: 'json',
  });
});

test.each([
  { asked: {}, queue: 'millwright/uid-of-cluster/shoot/driver/acme' },
  { asked: { install: 'blue' }, queue: 'millwright/uid-of-cluster/blue/driver/acme' },
  { asked: { clusterId: 'seed' }, queue: 'millwright/seed/shoot/driver/acme' },
])('the queue of a driver is printed, given $asked', async ({ asked, queue }) => {
  const kubeSystem = {
    kind: 'Namespace',
    metadata: { name: 'kube-system', uid: 'uid-of-cluster' },
  };
  const place = { kube: new InMemoryClient(kubeSystem), namespace: 'shoot' };
  const queues = ['create', 'delete', 'read'].map((call) => `${queue}/${call}`);
  expect(await showQueues(place, { provider: 'acme', ...asked })).toEqual({
    text: queues.join('\n'),
    data: { queues },
  });
});

test('wrong specs for millwright driver are read in their order', () => {
  const words = ['--bad-spec={"size": "huge", "zone": "a"}', '--bad-spec', '{"zone": 1}'];
  expect(verify('--provider=acme', ...words)).toMatchObject({
    badSpecs: [{ size: 'huge', zone: 'a' }, { zone: 1 }],
  });
});

test('troubles are arranged by a command, if there is one', () => {
  expect(verify('--provider=acme')).not.toHaveProperty('trouble');
  expect(verify('--provider=acme', '--trouble', './fake behave')).toMatchObject({
    trouble: './fake behave',
  });
});

test('a driver of MCM is asked what its interface can say', () => {
  expect(verify('--provider=acme')).toMatchObject({ contract: 'millwright' });
  expect(verify('--provider=acme', '--contract=mcm')).toMatchObject({ contract: 'mcm' });
  expect(() => verify('--provider=acme', '--contract=capi')).toThrow(/millwright, mcm/);
});

test.each([['driver'], ['driver', '--help'], ['driver', 'verify', '-h'], ['driver', 'help']])(
  'help is given for %s %s',
  (...argv) => {
    expect(() => readArguments(argv)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^commander\.help/) }),
    );
  },
);

test.each([
  { name: 'no provider', argv: ['verify'], says: /'--provider <name>' not specified/ },
  { name: 'another command', argv: ['try'], says: /unknown command 'try'/ },
  { name: 'too many words', argv: ['verify', '--provider=a', 'now'], says: /too many arguments/ },
  {
    name: 'an unknown format',
    argv: ['verify', '--provider=a', '--output=xml'],
    says: /'xml' is invalid. Allowed choices are json, yaml/,
  },
  { name: 'an unknown option', argv: ['verify', '--provider=a', '--cloud=a'], says: /--cloud/ },
  {
    name: 'a wrong spec that is no object',
    argv: ['verify', '--provider=a', '--bad-spec=[]'],
    says: /'\[\]' is invalid. Allowed: a JSON object/,
  },
  {
    name: 'a wrong spec that is no JSON',
    argv: ['verify', '--provider=a', '--bad-spec=size'],
    says: /--bad-spec <json>' argument 'size'/,
  },
])('the arguments of millwright driver are refused in words: $name', ({ argv, says }) => {
  expect(() => readArguments(['driver', ...argv])).toThrow(CommanderError);
  expect(() => readArguments(['driver', ...argv])).toThrow(says);
});
