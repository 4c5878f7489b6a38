/** GetConsoleOutput over the wire, with the real SDK: a double of EC2; moto is in moto.test.ts. */
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { startEc2Double, type Ec2Double } from '../../../doubles/ec2/ec2-double.ts';
import type { DoubleInstance } from '../../../doubles/ec2/instances.ts';
import { aRequest } from '../a-request.ts';
import { failureOf } from '../failure-of.ts';
import { aSpec } from './a-class.ts';
import { createdBy } from './following.ts';
import { instantTiming } from './instant-timing.ts';

let double: Ec2Double;
let driver: Driver;

beforeAll(async () => {
  double = await startEc2Double();
});
afterAll(() => double.close());
beforeEach(() => {
  double.reset();
  const settings = { env: { AWS_ENDPOINT_URL: double.url }, allowsAmbientCredentials: false };
  driver = createAwsDriver(settings, { timing: instantTiming(), callTimeoutSeconds: 600 });
});

const secret = { accessKeyID: 'key', secretAccessKey: 'secret' };

function theRequest(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, { providerSpec: aSpec(), secret, userData: '#!/bin/sh', ...more });
}

async function anInstance(name: string): Promise<{ request: CreateRequest; made: DoubleInstance }> {
  const { providerID } = await createdBy(driver, theRequest(name));
  const made = double.instances.at(-1);
  if (!made) throw new Error('the double has no instance');
  return { request: theRequest(name, { providerID }), made };
}

const latestOf = (): (string | undefined)[] =>
  double.requests
    .filter((form) => form.get('Action') === 'GetConsoleOutput')
    .map((form) => form.get('Latest'));

test('what EC2 has in base64 comes as text, as of now', async () => {
  const { request, made } = await anInstance('printing');
  made.console = 'kubelet: ünauthorized\n';
  expect(await driver.getConsoleOutput?.(request)).toBe('kubelet: ünauthorized\n');
  expect(latestOf()).toEqual(['true']);
});

test('a type without latest output is asked for what EC2 kept', async () => {
  const { request, made } = await anInstance('old');
  made.console = 'as of minutes ago';
  made.hasNoLatest = true;
  expect(await driver.getConsoleOutput?.(request)).toBe('as of minutes ago');
  expect(latestOf()).toEqual(['true', undefined]);
});

test('an instance that has printed nothing yet has an empty console', async () => {
  const { request } = await anInstance('silent');
  expect(await driver.getConsoleOutput?.(request)).toBe('');
});

test('a missing right is named with its action, and not asked for twice', async () => {
  const { request } = await anInstance('forbidden');
  double.refuse({ action: 'GetConsoleOutput', code: 'UnauthorizedOperation', status: 403 });
  expect(await failureOf(driver.getConsoleOutput?.(request) ?? Promise.resolve())).toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringContaining('GetConsoleOutput'),
  });
  expect(latestOf()).toEqual(['true']);
});
