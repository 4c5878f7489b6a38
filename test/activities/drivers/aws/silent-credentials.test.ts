/** Credentials that do not come: an STS that loses requests, over the wire, with the real SDK. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { startEc2Double, type Ec2Double } from '../../../doubles/ec2/ec2-double.ts';
import { startStsDouble, stsAccessKey, type StsDouble } from '../../../doubles/ec2/sts-double.ts';
import { eventually } from '../../../support/eventually.ts';
import { aRequest } from '../a-request.ts';
import { failureOf } from '../failure-of.ts';
import { aSpec } from './a-class.ts';

const folder = mkdtempSync(join(tmpdir(), 'token-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, 'a-token');

let ec2: Ec2Double;
let sts: StsDouble;

beforeAll(async () => {
  ec2 = await startEc2Double();
});
beforeEach(async () => {
  ec2.reset();
  sts = await startStsDouble();
});
afterEach(() => sts.close());
afterAll(async () => {
  await ec2.close();
  rmSync(folder, { recursive: true });
});

function aDriver(callTimeoutSeconds: number): Driver {
  const env = {
    AWS_ENDPOINT_URL_EC2: ec2.url,
    AWS_ENDPOINT_URL_STS: sts.url,
    MILLWRIGHT_TOKEN_DIRECTORY: folder,
  };
  const settings = { env, allowsAmbientCredentials: false, allowsTokenFiles: true };
  return createAwsDriver(settings, { callTimeoutSeconds });
}

function theRequest(more: Partial<CreateRequest> = {}): CreateRequest {
  const secret = { workloadIdentityTokenFile: tokenFile, roleARN: 'arn:aws:iam::1:role/machines' };
  return aRequest('any', { providerSpec: aSpec(), secret, ...more });
}

test('an STS that never answers ends the call, and the call says what is silent', async () => {
  const driver = aDriver(0.6);
  sts.silence(99);
  expect(await failureOf(driver.describeInstance(theRequest()))).toMatchObject({
    code: 'DeadlineExceeded',
    settled: false,
    message: expect.stringMatching(/^EC2 in eu-west-1: DescribeInstances: .*no credentials.*STS/),
  });
});

test('after one lost request the next call asks STS again, and waits for nothing', async () => {
  const driver = aDriver(3);
  sts.silence(1);
  const lost = [driver.describeInstance(theRequest()), driver.describeInstance(theRequest())];
  for (const call of lost) {
    expect(await failureOf(call)).toMatchObject({ code: 'DeadlineExceeded' });
  }
  expect(sts.requests).toHaveLength(1);
  expect(await driver.describeInstance(theRequest())).toBeUndefined();
  expect(sts.requests).toHaveLength(2);
  expect(ec2.lastAccessKey()).toBe(stsAccessKey);
});

test('a call that is cancelled while STS is silent ends, and sends nothing when STS answers at last', async () => {
  const driver = aDriver(90);
  sts.silence(1);
  const caller = new AbortController();
  const request = theRequest({ signal: caller.signal });
  const call = failureOf(driver.createInstance(request));
  await eventually('STS is asked', async () => sts.requests.length === 1);
  caller.abort();
  expect(await call).toMatchObject({ code: 'Canceled', settled: false });
  sts.answerAll();
  // The credentials are of use to the next call all the same.
  expect(await driver.describeInstance(theRequest())).toBeUndefined();
  expect(sts.requests).toHaveLength(1);
  expect(ec2.requests.map((form) => form.get('Action'))).toEqual(['DescribeInstances']);
});

test('a token file that is not there is a fault of credentials, and STS is not asked', async () => {
  const { secret } = theRequest();
  const missing = { ...secret, workloadIdentityTokenFile: join(folder, 'other') };
  const call = aDriver(30).describeInstance(theRequest({ secret: missing }));
  expect(await failureOf(call)).toMatchObject({
    code: 'Unauthenticated',
    kind: 'credentials',
    settled: false,
  });
  expect(sts.requests).toEqual([]);
});

test('a session has the name of the cluster', async () => {
  const driver = aDriver(30);
  await driver.describeInstance(theRequest({ cluster: '0b5ed9f2-8a4c-4d2b-a3a6-1f8f3f1c9d11' }));
  await driver.describeInstance(theRequest({ cluster: `odd name/${'x'.repeat(99)}` }));
  const names = sts.requests.map((form) => form.get('RoleSessionName') ?? '');
  expect(names[0]).toBe('millwright-0b5ed9f2-8a4c-4d2b-a3a6-1f8f3f1c9d11');
  expect(names[1]).toMatch(/^millwright-odd-name-x+$/);
  expect(names[1]).toHaveLength(64);
});
