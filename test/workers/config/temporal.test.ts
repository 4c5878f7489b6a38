import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, readTemporalSettings } from '../../../workers/config/temporal.ts';

const noFlags = { 'temporal-address': '', 'temporal-namespace': '' };
let folder: string;
let profile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temporal-settings-'));
  profile = join(folder, 'temporal.toml');
  await writeFile(profile, '[profile.default]\naddress = "profile:1"\nnamespace = "profile"\n');
});

afterAll(() => rm(folder, { recursive: true }));

test('the Temporal server without any setting is the local one', () => {
  expect(readTemporalSettings(noFlags, {}).settings).toMatchObject({
    address: '127.0.0.1:7233',
    namespace: 'default',
    connection: { address: '127.0.0.1:7233' },
  });
});

test('flags win over variables, and variables over the profile', () => {
  const fromProfile = { TEMPORAL_CONFIG_FILE: profile };
  const fromVariable = { ...fromProfile, TEMPORAL_ADDRESS: 'variable:1' };
  const flags = { ...noFlags, 'temporal-address': 'flag:1' };
  const seen = [
    readTemporalSettings(noFlags, fromProfile),
    readTemporalSettings(noFlags, fromVariable),
    readTemporalSettings(flags, fromVariable),
  ].map(({ settings }) => `${settings?.connection.address} ${settings?.namespace}`);
  expect(seen).toEqual(['profile:1 profile', 'variable:1 profile', 'flag:1 profile']);
});

test('an empty variable counts as not set', () => {
  const { settings } = readTemporalSettings(noFlags, {
    TEMPORAL_ADDRESS: '',
    TEMPORAL_API_KEY: '',
  });
  expect(settings).toMatchObject({ address: '127.0.0.1:7233' });
  expect(settings?.connection.tls).toBeUndefined();
});

test('an API key turns TLS on', () => {
  const { settings } = readTemporalSettings(noFlags, { TEMPORAL_API_KEY: 'key' });
  expect(settings?.connection).toMatchObject({ apiKey: 'key', tls: true });
});

test('an API key needs no TLS on its way to this host', () => {
  const env = { TEMPORAL_API_KEY: 'x', TEMPORAL_TLS: 'false', TEMPORAL_ADDRESS: 'localhost:1' };
  expect(readTemporalSettings(noFlags, env).settings?.connection).toMatchObject({ apiKey: 'x' });
});

test('an API key may be in a file; what was read is known, so that its renewal is seen', async () => {
  const keyFile = join(folder, 'api-key');
  await writeFile(keyFile, 'from-file\n');
  const env = { TEMPORAL_API_KEY_PATH: keyFile, TEMPORAL_CONFIG_FILE: profile };
  const { settings } = readTemporalSettings(noFlags, env);
  expect(settings?.connection).toMatchObject({ apiKey: 'from-file', tls: true });
  const authority = { ...env, TEMPORAL_TLS_SERVER_CA_CERT_PATH: profile };
  const { settings: more } = readTemporalSettings(noFlags, authority);
  expect([settings?.files, more?.files]).toEqual([
    [keyFile, profile],
    [profile, keyFile, profile],
  ]);
});

test('a file with no API key in it is refused', async () => {
  const keyFile = join(folder, 'empty-key');
  await writeFile(keyFile, '\n');
  const { settings, faults } = readTemporalSettings(noFlags, { TEMPORAL_API_KEY_PATH: keyFile });
  expect(settings).toBeUndefined();
  expect(faults).toEqual([`TEMPORAL_API_KEY_PATH: ${JSON.stringify(keyFile)} is empty`]);
});

const refused: { name: string; env: Environment; fault: RegExp }[] = [
  {
    name: 'a word for TLS that would turn it off in silence',
    env: { TEMPORAL_TLS: 'yes' },
    fault: /TEMPORAL_TLS: "yes" .* true, false, 1, 0/,
  },
  {
    name: 'a profile file that does not exist',
    env: { TEMPORAL_CONFIG_FILE: '/no/such/file' },
    fault: /TEMPORAL_CONFIG_FILE: "\/no\/such\/file" does not exist/,
  },
  {
    name: 'a certificate without its key',
    env: { TEMPORAL_TLS_CLIENT_CERT_DATA: 'x' },
    fault: /must be set together/,
  },
  {
    name: 'a certificate file that does not exist',
    env: { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/no/such/file' },
    fault: /cannot be read: ENOENT.*\/no\/such\/file/,
  },
  {
    name: 'to send an API key in clear text',
    env: { TEMPORAL_API_KEY: 'x', TEMPORAL_TLS: 'false', TEMPORAL_ADDRESS: 'temporal:7233' },
    fault: /TEMPORAL_TLS: .* API key to temporal:7233 in clear text/,
  },
  {
    name: 'an API key both in a variable and in a file',
    env: { TEMPORAL_API_KEY: 'x', TEMPORAL_API_KEY_PATH: '/key' },
    fault: /TEMPORAL_API_KEY_PATH and TEMPORAL_API_KEY must not be set together/,
  },
  {
    name: 'a file with an API key that does not exist',
    env: { TEMPORAL_API_KEY_PATH: '/no/such/file' },
    fault: /TEMPORAL_API_KEY_PATH: "\/no\/such\/file" does not exist/,
  },
  {
    name: 'a profile that is not in the file',
    env: { TEMPORAL_PROFILE: 'other' },
    fault: /cannot be read: Profile 'other' not found/,
  },
];

test.each(refused)('the Temporal settings refuse $name', ({ env, fault }) => {
  const { settings, faults } = readTemporalSettings(noFlags, env);
  expect(settings).toBeUndefined();
  expect(faults).toEqual([expect.stringMatching(fault)]);
});

test('a profile that is no TOML is refused by its place, without a key that stands there', async () => {
  const file = join(folder, 'broken.toml');
  const lines = ['[profile.default]', 'address = temporal:7233', 'api_key = "correct-horse"'];
  const { faults } = await faultsOf(file, lines);
  expect(faults).toEqual([expect.stringMatching(/no proper TOML at line 2, column \d+$/)]);
  expect(faults.join()).not.toContain('correct-horse');
  const own = await faultsOf(file, ['[profile.default]', 'api_key = correct-horse']);
  expect(own.faults.join()).not.toContain('correct-horse');
});

async function faultsOf(file: string, lines: readonly string[]) {
  await writeFile(file, lines.join('\n'));
  return readTemporalSettings(noFlags, { TEMPORAL_CONFIG_FILE: file });
}
