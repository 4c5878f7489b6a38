/** What a class's Secret may hold, and what it must never make the worker do. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createGcpDriver } from '../../../../activities/drivers/gcp/driver.ts';
import { credentialsOf } from '../../../../activities/drivers/gcp/credentials.ts';
import { tokenFilesAreOff } from '../../../../activities/drivers/token-file.ts';
import { aServiceAccount, aSharedGcpWorld, gcpRequest, project } from './gcp-world.ts';
import { HandSystem } from '../../../support/hand-system.ts';
import { failureOf } from '../failure-of.ts';

const tokenFile = '/var/run/secrets/gardener.cloud/workload-identity/token';

const anExternalAccount = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: { file: tokenFile, format: { type: 'text' } },
  universe_domain: 'googleapis.com',
};

const credentialsConfig = (more: object = {}) => ({
  credentialsConfig: JSON.stringify({ ...anExternalAccount, ...more }),
  projectID: project,
});
const refusalOf = (secret: Record<string, string>): string => {
  try {
    credentialsOf(secret);
  } catch (error) {
    return String(error);
  }
  return 'it was taken';
};

describe('each key is read', () => {
  test.each(['serviceAccountJSON', 'serviceaccount.json', 'credentialsConfig'])('%s', (key) => {
    expect(credentialsOf({ [key]: JSON.stringify(aServiceAccount) })).toEqual({
      project,
      account: {
        kind: 'serviceAccount',
        email: aServiceAccount.client_email,
        privateKey: aServiceAccount.private_key,
        privateKeyId: 'key-1',
      },
    });
  });

  test('the project may stand beside', () => {
    const { project_id: _, ...rest } = aServiceAccount;
    for (const fields of [rest, { ...rest, project_id: '' }]) {
      const secret = { serviceAccountJSON: JSON.stringify(fields), projectID: 'b-project' };
      expect(credentialsOf(secret)?.project).toBe('b-project');
    }
    expect(refusalOf({ serviceAccountJSON: JSON.stringify(rest) })).toContain(
      'neither serviceAccountJSON has a project_id nor is there a key projectID',
    );
  });

  test('none is none', () => {
    expect(credentialsOf({ userData: 'x', serviceAccountJSON: ' ' })).toBeUndefined();
  });
});

const serviceAccount = (more: object) => ({
  serviceAccountJSON: JSON.stringify({ ...aServiceAccount, ...more }),
});

describe('Google credentials are refused, by name and without the secret:', () => {
  test.each([
    [
      'not JSON',
      { serviceAccountJSON: '{"private_key": "secret' },
      'serviceAccountJSON is not a JSON object',
    ],
    [
      'another type',
      serviceAccount({ type: 'authorized_user' }),
      'type: "authorized_user" is not service_account or external_account',
    ],
    ['another field', serviceAccount({ extra: 'secret' }), 'serviceAccountJSON: extra: only type,'],
    [
      'another universe',
      serviceAccount({ universe_domain: 'evil.example' }),
      'universe_domain: "evil.example" is not googleapis.com',
    ],
    ['no key', serviceAccount({ private_key: '' }), 'private_key is missing'],
    [
      'a path for a project',
      serviceAccount({ project_id: '../x' }),
      'project: "../x" is not the ID of a project',
    ],
    [
      'any token URL',
      credentialsConfig({ token_url: 'https://evil.example' }),
      'token_url: "https://evil.example" is not https://sts.googleapis.com/v1/token',
    ],
    [
      'any file',
      credentialsConfig({ credential_source: { file: '/etc/passwd' } }),
      `file: "/etc/passwd" is not a file in ${dirname(tokenFile)}`,
    ],
    [
      'a URL for a source',
      credentialsConfig({ credential_source: { url: 'http://169.254.169.254' } }),
      'credential_source: url: only file, format are allowed',
    ],
    [
      'a program for a source',
      credentialsConfig({ credential_source: { executable: { command: 'sh' } } }),
      'credential_source: executable: only file',
    ],
    [
      'any impersonation',
      credentialsConfig({ service_account_impersonation_url: 'https://evil.example' }),
      'service_account_impersonation_url: "https://evil.example" is not https://iamcredentials.googleapis.com',
    ],
    [
      'a trick in the impersonation',
      credentialsConfig({
        service_account_impersonation_url:
          'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/x@evil.example/../../a:generateAccessToken',
      }),
      'service_account_impersonation_url',
    ],
    [
      'another token',
      credentialsConfig({ subject_token_type: 'urn:ietf:params:aws:token-type:aws4_request' }),
      'subject_token_type',
    ],
    [
      'another field of a federation',
      credentialsConfig({ token_info_url: 'https://evil.example' }),
      'credentialsConfig: token_info_url: only type,',
    ],
  ])('%s', (_what, secret, words) => {
    expect(refusalOf(secret)).toContain(words);
    expect(refusalOf(secret)).not.toMatch(/PRIVATE KEY|secret"/);
  });
});

const world = await aSharedGcpWorld();

describe('over the wire', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gcp-credentials-'));
  });
  afterAll(async () => {
    delete process.env['GOOGLE_APPLICATION_CREDENTIALS'];
    await rm(folder, { recursive: true });
  });

  test('a token in the Secret is changed for one of Google’s', async () => {
    const secret = { ...credentialsConfig(), token: 'a.b.c' };
    // Once, whatever comes of it: the library would try again.
    world.double.faults.add({ kind: 'error', operation: 'token', status: 503, reason: 'their' });
    const before = world.double.calls.length;
    expect(
      await failureOf(world.driver.describeInstance(gcpRequest('federated', { secret }))),
    ).toMatchObject({ code: 'Unavailable' });
    expect(world.double.calls.length - before).toBe(1);
    expect(await world.driver.describeInstance(gcpRequest('federated', { secret }))).toBe(
      undefined,
    );
  });

  test('without it the token is in a file of the process, which needs to be allowed', async () => {
    const failure = await failureOf(
      world.driver.describeInstance(gcpRequest('m', { secret: credentialsConfig() })),
    );
    expect(failure).toMatchObject({
      code: 'Unauthenticated',
      kind: 'credentials',
      message: expect.stringContaining(tokenFilesAreOff),
    });
  });

  test('a token file is a permission of its own, and lies where the process keeps such files', async () => {
    const file = join(folder, 'tokens', 'token');
    await mkdir(join(folder, 'tokens'));
    await writeFile(file, 'a.b.c\n');
    const env = { ...world.settings.env, MILLWRIGHT_TOKEN_DIRECTORY: join(folder, 'tokens') };
    const driver = world.aDriver({}, { env, allowsTokenFiles: true });
    const secret = credentialsConfig({ credential_source: { file } });
    expect(await driver.describeInstance(gcpRequest('m', { secret }))).toBeUndefined();
    const elsewhere = credentialsConfig({ credential_source: { file: join(folder, 'key.json') } });
    const refused = driver.describeInstance(gcpRequest('m', { secret: elsewhere }));
    expect((await failureOf(refused)).message).toContain('is not a file in');
    // It allows nothing else.
    const none = driver.describeInstance(gcpRequest('m', { secret: {} }));
    expect((await failureOf(none)).message).toContain('--ambient-credentials');
  });

  test('without credentials the missing keys are named', async () => {
    expect(await failureOf(world.driver.createInstance(gcpRequest('m', { secret: {} })))).toEqual({
      code: 'Unauthenticated',
      kind: 'credentials',
      settled: false,
      message:
        'the Secret of the MachineClass has no credentials: set serviceAccountJSON, serviceaccount.json or credentialsConfig, or allow those of the process with --ambient-credentials',
    });
  });

  test('credentials of the process, where they are allowed', async () => {
    const file = join(folder, 'key.json');
    await writeFile(file, JSON.stringify(aServiceAccount));
    const driver = world.aDriver({}, { allowsAmbientCredentials: true });
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file;
    const made = await driver.createInstance(gcpRequest('ambient', { secret: {} }));
    expect(made.providerID).toBe(`gce:///${project}/europe-west1-b/ambient`);
    const secret = { projectID: 'b-project' };
    expect(await driver.describeInstance(gcpRequest('ambient', { secret }))).toBeUndefined();
  });

  test.each([
    ['a key of another account', { client_email: 'other@a.iam' }],
    [
      'a key that is none',
      { private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' },
    ],
  ])('%s lets nobody in', async (_what, more) => {
    const secret = { serviceAccountJSON: JSON.stringify({ ...aServiceAccount, ...more }) };
    const failure = await failureOf(world.driver.createInstance(gcpRequest('m', { secret })));
    expect(failure).toMatchObject({ code: 'Unauthenticated', kind: 'credentials', settled: false });
    expect(failure.message).not.toContain('PRIVATE KEY');
  });

  test('a key of the process that was replaced is read again', async () => {
    const file = join(folder, 'replaced.json');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await writeFile(file, JSON.stringify({ ...aServiceAccount, private_key }));
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file;
    const driver = world.aDriver({}, { allowsAmbientCredentials: true });
    const hand = new HandSystem();
    const look = () => hand.run(() => driver.describeInstance(gcpRequest('m', { secret: {} })));
    const refused = { code: 'Unauthenticated', kind: 'credentials' };
    expect(await failureOf(look())).toMatchObject(refused);
    await writeFile(file, JSON.stringify(aServiceAccount));
    await hand.to(61_000);
    expect(await failureOf(look())).toMatchObject(refused);
    expect(await look()).toBeUndefined();
  });

  test('a token that Google takes no more is not kept for the rest of its hour', async () => {
    const driver = world.aDriver();
    const hand = new HandSystem();
    const look = () => hand.run(() => driver.describeInstance(gcpRequest('m')));
    expect(await look()).toBeUndefined();
    world.double.tokens.revoke();
    await hand.to(61_000);
    expect(await failureOf(look())).toMatchObject({ code: 'Unauthenticated' });
    expect(await look()).toBeUndefined();
  });

  test('one token serves many calls; a request for one is sent once, whatever comes of it', async () => {
    const driver = world.aDriver();
    const tokens = () => world.double.calls.filter(({ operation }) => operation === 'token').length;
    const before = tokens();
    world.double.faults.add({ kind: 'error', operation: 'token', status: 503 });
    expect(await failureOf(driver.describeInstance(gcpRequest('m')))).toMatchObject({
      code: 'Unavailable',
    });
    expect(tokens() - before).toBe(1);
    await driver.describeInstance(gcpRequest('m'));
    await driver.describeInstance(gcpRequest('m'));
    expect(tokens() - before).toBe(2);
  });

  test.each(['MILLWRIGHT_GCP_ENDPOINT', 'MILLWRIGHT_GCP_TOKEN_ENDPOINT'])(
    '%s that is no URL is refused by its name',
    (name) => {
      const settings = { env: { [name]: 'compute:80' }, allowsAmbientCredentials: false };
      expect(() => createGcpDriver(settings)).toThrow(`${name}: "compute:80" is not a URL`);
    },
  );

  test('an endpoint with a path is refused: it would not be used', () => {
    const env = { MILLWRIGHT_GCP_ENDPOINT: 'https://example.com/compute/v1' };
    expect(() => createGcpDriver({ env, allowsAmbientCredentials: false })).toThrow('has a path');
  });
});
