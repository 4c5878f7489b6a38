import { expect, test } from '@jest/globals';
import { readArguments, UsageError } from '../../cli/arguments.ts';

const verify = (...words: string[]) => readArguments(['driver', 'verify', ...words]);

test('the queue follows from task queue and provider', () => {
  expect(verify('--provider=acme')).toMatchObject({
    command: 'verify',
    provider: 'acme',
    queue: 'millwright-driver-acme',
    badSpecs: [],
    isJson: false,
  });
  expect(verify('--provider=acme', '--task-queue=shoot')).toMatchObject({
    queue: 'shoot-driver-acme',
  });
  expect(verify('--provider=acme', '--queue=mine', '-n', 'shoot', '-o', 'json')).toMatchObject({
    queue: 'mine',
    namespace: 'shoot',
    isJson: true,
  });
});

test('wrong specs are read in their order', () => {
  const words = ['--bad-spec={"size": "huge", "zone": "a"}', '--bad-spec', '{"zone": 1}'];
  expect(verify('--provider=acme', ...words)).toMatchObject({
    badSpecs: [{ size: 'huge', zone: 'a' }, { zone: 1 }],
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
])('$name is refused in words', ({ argv, says }) => {
  expect(() => readArguments(['driver', ...argv])).toThrow(UsageError);
  expect(() => readArguments(['driver', ...argv])).toThrow(says);
});
