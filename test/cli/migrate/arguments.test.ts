import { CommanderError } from 'commander';
import { readArguments } from '../../support/command-line.ts';

test('every option has a default', () => {
  expect(readArguments(['migrate', 'take-over', '-n', 'shoot'])).toEqual({
    namespace: 'shoot',
    mcmDeployments: ['machine-controller-manager'],
    externalProviders: [],
    timeoutSeconds: 300,
  });
});

test('names may be given more than once', () => {
  const argv = ['migrate', 'check', '--mcm-deployment=a', '--mcm-deployment=b', '--timeout=90s'];
  expect(readArguments(argv)).toMatchObject({ mcmDeployments: ['a', 'b'], timeoutSeconds: 90 });
});

test.each([
  {
    name: 'an unknown command',
    argv: ['takeover'],
    says: /unknown command 'takeover'/,
  },
  { name: 'too many words', argv: ['check', 'now'], says: /too many arguments/ },
  {
    name: 'a timeout that is none',
    argv: ['check', '--timeout=5'],
    says: /'--timeout <duration>' argument '5' is invalid. Allowed/,
  },
  { name: 'an unknown option', argv: ['check', '--force'], says: /--force/ },
])('millwright migrate refuses $name in words', ({ argv, says }) => {
  expect(() => readArguments(['migrate', ...argv])).toThrow(CommanderError);
  expect(() => readArguments(['migrate', ...argv])).toThrow(says);
});
