import { CommanderError } from 'commander';
import { readArguments } from '../support/command-line.ts';

test('offboard takes a namespace, and changes nothing without --yes', () => {
  expect(readArguments(['offboard', 'shoot--dev'])).toEqual({
    namespace: 'shoot--dev',
    leaseNamespace: undefined,
    keepsMachines: false,
    isConfirmed: false,
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
    output: 'json',
  });
});

test.each([
  { name: 'no namespace', argv: [], says: /missing required argument 'namespace'/ },
  { name: 'two', argv: ['a', 'b'], says: /too many arguments/ },
  { name: 'an unknown option', argv: ['a', '--force'], says: /--force/ },
])('offboard refuses $name', ({ argv, says }) => {
  expect(() => readArguments(['offboard', ...argv])).toThrow(CommanderError);
  expect(() => readArguments(['offboard', ...argv])).toThrow(says);
});
