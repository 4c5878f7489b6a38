import { expect, test } from 'vitest';
import { readArguments, UsageError } from '../../cli/arguments.ts';

test('offboard takes a namespace, and changes nothing without --yes', () => {
  expect(readArguments(['offboard', 'shoot--dev'])).toEqual({
    command: 'offboard',
    namespace: 'shoot--dev',
    install: undefined,
    clusterId: undefined,
    clusterName: undefined,
    leaseNamespace: undefined,
    keepsMachines: false,
    isConfirmed: false,
    address: '',
    temporalNamespace: '',
    payloadKeys: '',
    kubeconfig: '',
    isJson: false,
  });
});

test('offboard takes what the processes have', () => {
  const argv = ['--yes', '--keep-machines', '--install=fleet', '--cluster-name=eu', '-o', 'json'];
  const more = ['--cluster-id=seed', '--leader-elect-resource-namespace=leases'];
  expect(readArguments(['offboard', 'a', ...argv, ...more])).toMatchObject({
    isConfirmed: true,
    keepsMachines: true,
    install: 'fleet',
    clusterName: 'eu',
    clusterId: 'seed',
    leaseNamespace: 'leases',
    isJson: true,
  });
});

test.each([
  { name: 'no namespace', argv: [], says: /NAMESPACE is missing/ },
  { name: 'two', argv: ['a', 'b'], says: /"b" is too much after "a"/ },
  { name: 'an unknown option', argv: ['a', '--force'], says: /--force/ },
])('offboard refuses $name', ({ argv, says }) => {
  expect(() => readArguments(['offboard', ...argv])).toThrow(UsageError);
  expect(() => readArguments(['offboard', ...argv])).toThrow(says);
});
