import { validateProviderSpec } from '../../../../activities/drivers/hetzner/validate.ts';
import { hetzner } from '../../../../activities/front/providers/hetzner.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { checkTable, defaultPool } from './golden.ts';

const said = {
  token: 'secret-token',
  serverType: 'cx32',
  location: 'hel1',
  image: 'ubuntu-22.04',
  networks: ['4711', 'nodes'],
  firewalls: ['38', '39'],
  labels: { team: 'blue' },
  assignPublicIPv4: false,
  assignPublicIPv6: true,
  sshKeys: ['operators'],
};

checkTable('hetzner', hetzner, {
  validate: validateProviderSpec,
  // The last one is ours.
  fields: [...Object.keys(said).slice(0, -1), 'datacenter', 'placementGroupPrefix', 'sshKeys'],
  said,
  refused: {
    serverType: '22',
    location: 'hel1',
    datacenter: '4',
    placementGroupPrefix: 'workers',
    networks: ['a', 'b'],
    firewalls: ['web'],
    assignPublicIPv4: 'no',
  },
  providerIDs: [
    ['hcloud://12345', { value: 'hcloud:///hel1/12345' }],
    ['', { fault: 'spec.providerID "" is not of the form hcloud://ID' }],
  ],
});

const few = { token: 'secret-token', serverType: 'cx32', location: 'hel1' };
const { location: _, ...nowhere } = few;
const made = (spec: object, { operatingSystem = 'ubuntu', env = {} } = {}) =>
  translate(hetzner, { ...spec }, { pool: { ...defaultPool, operatingSystem }, env });

test.each([
  { operatingSystem: 'ubuntu', imageName: 'ubuntu-24.04' },
  { operatingSystem: 'rockylinux', imageName: 'rocky-9' },
])('the image of $operatingSystem is $imageName', ({ operatingSystem, imageName }) => {
  const { providerSpec, faults } = made(few, { operatingSystem });
  expect({ faults, imageName: providerSpec['imageName'] }).toEqual({ faults: [], imageName });
});

test.each<[string, object, string]>([
  ['no image for the system', few, 'cloudProviderSpec.image is missing: '],
  ['no location', nowhere, 'cloudProviderSpec.location is missing: '],
  [
    'neither address nor network',
    { ...few, assignPublicIPv4: false, assignPublicIPv6: 'false' },
    'cloudProviderSpec.networks is missing: ',
  ],
])('%s is a fault', (name, spec, fault) => {
  const operatingSystem = name.includes('system') ? 'flatcar' : 'ubuntu';
  expect(made(spec, { operatingSystem }).faults).toEqual([expect.stringContaining(fault)]);
});

test('a datacenter is its location', () => {
  const { providerSpec, faults } = made({ ...nowhere, datacenter: 'nbg1-dc3' });
  expect([providerSpec['location'], faults]).toEqual(['nbg1', []]);
});

test('without SSH keys the condition says what that means, with those of the front it need not', () => {
  expect(made(few).ignored).toEqual([expect.stringMatching(/sshKeys is not given.*root password/)]);
  const { ignored, providerSpec } = made(few, { env: { HZ_SSH_KEYS: 'a, b' } });
  expect([ignored, providerSpec['sshKeys']]).toEqual([[], ['a', 'b']]);
});

test('theirs finds what ours has made by a label, and names it as the Node does', () => {
  const { findsInstanceBy } = hetzner;
  const id = 'hcloud:///hel1/12345';
  expect('command' in findsInstanceBy && findsInstanceBy.command(id, 'UID')).toBe(
    'hcloud server add-label 12345 machine-uid=UID',
  );
  expect(hetzner.providerIDBack?.(id)).toBe('hcloud://12345');
});
