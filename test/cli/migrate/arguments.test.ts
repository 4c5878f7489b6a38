import { expect, test } from 'vitest';
import { readArguments, UsageError } from '../../../cli/arguments.ts';

test('every option has a default', () => {
  expect(readArguments(['migrate', 'take-over', '-n', 'shoot'])).toEqual({
    command: 'migrate take-over',
    namespace: 'shoot',
    kubeconfig: '',
    isJson: false,
    mcmDeployments: ['machine-controller-manager'],
    releaseNamespace: undefined,
    externalProviders: [],
    flagsFrom: undefined,
    timeoutSeconds: 300,
    temporalAddress: '',
    temporalNamespace: '',
  });
  expect(readArguments(['migrate'])).toEqual({ command: 'migrate help' });
});

test('names may be given more than once', () => {
  const argv = ['migrate', 'check', '--mcm-deployment=a', '--mcm-deployment=b', '--timeout=90s'];
  expect(readArguments(argv)).toMatchObject({ mcmDeployments: ['a', 'b'], timeoutSeconds: 90 });
});

test.each([
  {
    name: 'an unknown command',
    argv: ['takeover'],
    says: /"migrate takeover" is not known; allowed: check, take-over, hand-back/,
  },
  { name: 'too many words', argv: ['check', 'now'], says: /"now" is too much/ },
  {
    name: 'a timeout that is none',
    argv: ['check', '--timeout=5'],
    says: /--timeout is "5"; allowed/,
  },
  { name: 'an unknown option', argv: ['check', '--force'], says: /--force/ },
])('millwright migrate refuses $name in words', ({ argv, says }) => {
  expect(() => readArguments(['migrate', ...argv])).toThrow(UsageError);
  expect(() => readArguments(['migrate', ...argv])).toThrow(says);
});
