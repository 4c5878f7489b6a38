/** Credentials that the SDK's own chain finds: here those of an instance, from a metadata service. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import { startEc2Double, type Ec2Double } from '../../../doubles/ec2/ec2-double.ts';
import { aRequest } from '../a-request.ts';
import { aSpec } from './a-class.ts';
import { failureOf } from '../failure-of.ts';

jest.setTimeout(60_000);

const roles = '/latest/meta-data/iam/security-credentials/';
let metadata: Server;
let double: Ec2Double;
let isThere = true;

beforeAll(async () => {
  double = await startEc2Double();
  metadata = createServer((request, response) => {
    const answer = isThere ? answers[request.url ?? ''] : undefined;
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
  const address = metadata.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AWS_')) delete process.env[name];
  }
  process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = `http://127.0.0.1:${port}`;
  // Whatever the person who runs this has at home.
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = '/none';
  process.env['AWS_CONFIG_FILE'] = '/none';
});
afterAll(async () => {
  await double.close();
  metadata.closeAllConnections();
  await new Promise((resolve) => metadata.close(resolve));
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
  const driver = createAwsDriver({
    env: { AWS_ENDPOINT_URL: double.url },
    allowsAmbientCredentials,
  });
  return await driver.describeInstance(aRequest('any', { providerSpec: aSpec() }));
}

test('are used where the operator allows it', async () => {
  expect(await describeWith(true)).toBeUndefined();
  expect(double.lastAccessKey()).toBe('key-of-the-instance');
});

test('are not looked for where he does not', async () => {
  expect(await failureOf(describeWith(false))).toMatchObject({ code: 'Unauthenticated' });
});

test('that nobody has are a fault of credentials', async () => {
  isThere = false;
  expect(await failureOf(describeWith(true))).toMatchObject({
    code: 'Unauthenticated',
    kind: 'credentials',
    settled: false,
  });
});
