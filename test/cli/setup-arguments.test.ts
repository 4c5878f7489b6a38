import { CommanderError } from 'commander';
import { setup } from '../../cli/setup/setup.ts';
import { readArguments } from '../support/command-line.ts';

test('setup takes address, namespace and retention', () => {
  const argv = ['--temporal-address=a:1', '--temporal-namespace=b', '--retention-days=30'];
  expect(readArguments(['setup', ...argv, '--check', '-o', 'json'])).toEqual({
    temporalAddress: 'a:1',
    temporalNamespace: 'b',
    retentionDays: 30,
    isCheck: true,
    output: 'json',
  });
});

test('setup changes things, and keeps closed workflows for a week, unless told otherwise', () => {
  expect(readArguments(['setup'])).toMatchObject({ isCheck: false, retentionDays: 7 });
});

test('setup takes the version that is to be current', () => {
  const argv = ['--current=0.2.0-1a2b3c4d', '--deployment=shoot_millwright', '--wait-minutes=2'];
  expect(readArguments(['setup', ...argv])).toMatchObject({
    version: { buildId: '0.2.0-1a2b3c4d', deploymentName: 'shoot_millwright', waitMinutes: 2 },
  });
  expect(readArguments(['setup'])).not.toHaveProperty('version');
});

test.each([
  { name: 'a retention of no day', argv: ['--retention-days=0'], says: /whole days from 1/ },
  { name: 'a retention with a unit', argv: ['--retention-days=7d'], says: /'7d'/ },
  { name: 'an unknown option', argv: ['--force'], says: /--force/ },
  { name: 'a version of no deployment', argv: ['--current=1'], says: /belong together/ },
  { name: 'a deployment without a version', argv: ['--deployment=a'], says: /belong together/ },
  {
    name: 'a deployment that Temporal would cut',
    argv: ['--current=1', '--deployment=a.b'],
    says: /'--deployment <name>' argument 'a.b'/,
  },
  {
    name: 'a wait with a unit',
    argv: ['--current=1', '--deployment=a', '--wait-minutes=5m'],
    says: /'--wait-minutes <n>' argument '5m'/,
  },
  { name: 'a word too many', argv: ['machines'], says: /too many arguments/ },
])('setup refuses $name', ({ argv, says }) => {
  expect(() => readArguments(['setup', ...argv])).toThrow(CommanderError);
  expect(() => readArguments(['setup', ...argv])).toThrow(says);
});

test('it does not take the server of another for its own where no address is said', async () => {
  const asked = { retentionDays: 7, isCheck: false };
  const env = { XDG_CONFIG_HOME: '/nowhere' };
  await expect(setup(asked, env)).rejects.toThrow('--temporal-address says where it is');
});
