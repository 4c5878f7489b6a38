/**
 * Credentials that the SDK's own chain finds: here those of an instance, from a metadata service.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening, type Listening } from '../../../support/listening.ts';
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import { startEc2Double, type Ec2Double } from '../../../doubles/ec2/ec2-double.ts';
import { aRequest } from '../a-request.ts';
import { aSpec } from './a-class.ts';
import { HandSystem } from '../../../support/hand-system.ts';
import { failureOf } from '../failure-of.ts';

const roles = '/latest/meta-data/iam/security-credentials/';
let metadata: Listening;
let double: Ec2Double;
let isThere = true;

beforeAll(async () => {
  double = await startEc2Double();
  const server = createServer((request, response) => {
    const answer = isThere ? answers[request.url ?? ''] : undefined;
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  metadata = await listening(server);
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AWS_')) delete process.env[name];
  }
  process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = metadata.url;
  // Whatever the person who runs this has at home.
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = '/none';
  process.env['AWS_CONFIG_FILE'] = '/none';
});
afterAll(async () => {
  await double.close();
  await metadata.close();
});

const answers: Readonly<Record<string, string>> = {
  '/latest/api/token': 'a-token',
  [roles]: 'machines',
  [`${roles}machines`]: JSON.stringify({
    Code: 'Success',
    AccessKeyId: 'key-of-the-instance',
    SecretAccessKey: 'secret',
    Token: 'session',
    Expiration: '2999-01-01T00:00:00Z',
  }),
};

async function describeWith(allowsAmbientCredentials: boolean): Promise<unknown> {
  const settings = { env: { AWS_ENDPOINT_URL: double.url }, allowsAmbientCredentials };
  const driver = createAwsDriver(settings);
  return await driver.describeInstance(aRequest('any', { providerSpec: aSpec() }));
}

test('credentials of the process are used where the operator allows it', async () => {
  expect(await describeWith(true)).toBeUndefined();
  expect(double.lastAccessKey()).toBe('key-of-the-instance');
});

test('missing credentials of the process are an error of kind credentials', async () => {
  isThere = false;
  expect(await failureOf(describeWith(true))).toMatchObject({
    code: 'Unauthenticated',
    kind: 'credentials',
    settled: false,
  });
});

test('a file of credentials that was replaced is read again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shared-'));
  const file = join(folder, 'credentials');
  const hold = (key: string): void =>
    writeFileSync(file, `[default]\naws_access_key_id = ${key}\naws_secret_access_key = secret\n`);
  hold('key-1');
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = file;
  const settings = { env: { AWS_ENDPOINT_URL: double.url }, allowsAmbientCredentials: true };
  const driver = createAwsDriver(settings);
  const hand = new HandSystem();
  const request = aRequest('any', { providerSpec: aSpec() });
  const look = () => hand.run(() => driver.describeInstance(request));
  const refuse = () => double.refuse({ action: 'DescribeInstances', code: 'AuthFailure' });
  const refused = { code: 'Unauthenticated', kind: 'credentials' };
  try {
    expect(await look()).toBeUndefined();
    hold('key-2');
    refuse();
    expect(await failureOf(look())).toMatchObject(refused);
    // New credentials would be refused as well: nothing is fetched for each refusal.
    expect(await look()).toBeUndefined();
    expect(double.lastAccessKey()).toBe('key-1');
    await hand.to(61_000);
    refuse();
    expect(await failureOf(look())).toMatchObject(refused);
    expect(await look()).toBeUndefined();
    expect(double.lastAccessKey()).toBe('key-2');
  } finally {
    rmSync(folder, { recursive: true });
    process.env['AWS_SHARED_CREDENTIALS_FILE'] = '/none';
  }
});

test('a credential program that is too slow ends the call, and the next call asks it again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'program-'));
  const config = join(folder, 'config');
  const program = join(folder, 'program');
  const silence = join(folder, 'silence');
  const keys = { Version: 1, AccessKeyId: 'key-of-the-program', SecretAccessKey: 'secret' };
  const script = `while [ -e ${silence} ]; do sleep 0.1; done; echo '${JSON.stringify(keys)}'`;
  writeFileSync(silence, '');
  writeFileSync(program, script);
  writeFileSync(config, `[profile silent]\ncredential_process = sh ${program}\n`);
  process.env['AWS_CONFIG_FILE'] = config;
  process.env['AWS_PROFILE'] = 'silent';
  const settings = { env: { AWS_ENDPOINT_URL: double.url }, allowsAmbientCredentials: true };
  const driver = createAwsDriver(settings, { callTimeoutSeconds: 6 });
  const look = () => driver.describeInstance(aRequest('any', { providerSpec: aSpec() }));
  try {
    expect(await failureOf(look())).toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
      message: expect.stringContaining('no credentials within 2 s'),
    });
    rmSync(silence);
    expect(await look()).toBeUndefined();
    expect(double.lastAccessKey()).toBe('key-of-the-program');
  } finally {
    rmSync(folder, { recursive: true });
    process.env['AWS_CONFIG_FILE'] = '/none';
    delete process.env['AWS_PROFILE'];
  }
});
