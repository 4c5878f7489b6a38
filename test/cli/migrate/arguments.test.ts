import { CommanderError } from 'commander';
import { readArguments } from '../../support/command-line.ts';

test('every option has a default', () => {
  expect(readArguments(['migrate', 'take-over', '-n', 'shoot'])).toEqual({
    namespace: 'shoot',
    mcmDeployments: ['machine-controller-manager'],
    externalProviders: [],
    from: 'mcm',
    machineController: { namespace: 'kube-system', name: 'machine-controller' },
    instancesTagged: false,
    timeoutSeconds: 300,
  });
});

test('names may be given more than once', () => {
  const argv = ['migrate', 'check', '--mcm-deployment=a', '--mcm-deployment=b', '--timeout=90s'];
  expect(readArguments(argv)).toMatchObject({ mcmDeployments: ['a', 'b'], timeoutSeconds: 90 });
});

test.each([
  ['an unknown command', ['takeover'], /unknown command 'takeover'/],
  ['too many words', ['check', 'now'], /too many arguments/],
  [
    'a timeout that is none',
    ['check', '--timeout=5'],
    /'--timeout <duration>' argument '5' is invalid. Allowed/,
  ],
  ['another controller', ['check', '--from=capi'], /Allowed choices are mcm, kubermatic/],
  ['a name without a namespace', ['check', '--machine-controller=x'], /Allowed: NAMESPACE\/NAME/],
  ['an unknown option', ['check', '--force'], /--force/],
])('millwright migrate refuses %s in words', (_name, argv, says) => {
  expect(() => readArguments(['migrate', ...argv])).toThrow(CommanderError);
  expect(() => readArguments(['migrate', ...argv])).toThrow(says);
});
