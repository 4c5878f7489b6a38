import { validateProviderSpec } from '../../../../activities/drivers/digitalocean/validate.ts';
import { digitalocean } from '../../../../activities/front/providers/digitalocean.ts';
import type { PoolContext } from '../../../../activities/front/providers/table.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { checkTable, defaultPool } from './golden.ts';

const said = {
  token: 'secret-token',
  region: 'fra1',
  size: 's-2vcpu-4gb',
  backups: false,
  ipv6: true,
  private_networking: true,
  monitoring: false,
  tags: ['env:prod'],
  sshKeys: ['3b:16:e4:bf:8b:00:8b:b8:59:8c:a9:d3:f0:19:fa:45'],
};

checkTable('digitalocean', digitalocean, {
  validate: validateProviderSpec,
  // The last one is ours.
  fields: Object.keys(said),
  said,
  refused: { size: '', backups: 'daily' },
  pool: { operatingSystem: 'rockylinux' },
  providerIDs: [['digitalocean://12345', { value: 'digitalocean://12345' }]],
});

const few = { token: 'secret-token', region: 'fra1', size: 's-2vcpu-4gb' };
const made = (pool: Partial<PoolContext>) =>
  translate(digitalocean, few, { pool: { ...defaultPool, ...pool }, env: { DO_SSH_KEYS: '7' } });

test.each<[string, Partial<PoolContext>, object]>([
  ['Ubuntu', {}, { image: 'ubuntu-24-04-x64', sshKeys: ['7'] }],
  ['both families', { network: { ipFamily: 'IPv6+IPv4' } }, { ipv6: true }],
])('%s', (_name, pool, expected) => {
  const { providerSpec, faults, ignored } = made(pool);
  expect(providerSpec).toMatchObject(expected);
  expect([...faults, ...ignored, ...validateProviderSpec(providerSpec)]).toEqual([]);
});

test.each<[Partial<PoolContext>, string]>([
  [{ operatingSystem: 'flatcar' }, 'operatingSystem "flatcar": '],
  [{ network: { ipFamily: 'IPv6' } }, 'network.ipFamily "IPv6": '],
])('%j is refused, as with them', (pool, fault) => {
  expect(made(pool).faults).toEqual([expect.stringContaining(fault)]);
});

test('theirs finds what ours has made by a tag', () => {
  const { findsInstanceBy } = digitalocean;
  expect('command' in findsInstanceBy && findsInstanceBy.command('digitalocean://7', 'UID')).toBe(
    'doctl compute droplet tag 7 --tag-name UID',
  );
});
