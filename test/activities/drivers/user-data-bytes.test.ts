/** User data that is not UTF-8, on its way to each cloud. */
import { gzipSync } from 'node:zlib';
import { runInstancesInput } from '../../../activities/drivers/aws/run-instances-input.ts';
import { specOf } from '../../../activities/drivers/aws/spec.ts';
import { aRequest } from './a-request.ts';
import { aSpec } from './aws/a-class.ts';
import { failureOf } from './failure-of.ts';
import { aGcpWorld, gcpRequest, type GcpWorld } from './gcp/gcp-world.ts';

const userDataBytes = gzipSync('#cloud-config');
const bytes = { userData: '', userDataBytes };

test('AWS takes the bytes', () => {
  const request = aRequest('m', bytes);
  const { UserData = '' } = runInstancesInput({
    request,
    spec: specOf(aSpec()),
    rootDeviceName: '/dev/xvda',
  });
  expect(userDataBytes.equals(Buffer.from(UserData, 'base64'))).toBe(true);
});

describe('Google takes text only', () => {
  let world: GcpWorld;
  beforeAll(async () => {
    world = await aGcpWorld();
  });
  afterAll(() => world.double.close());

  test('which is said before anything is made, and does not hide an instance that exists', async () => {
    expect(await failureOf(world.driver.createInstance(gcpRequest('m', bytes)))).toEqual({
      code: 'InvalidArgument',
      kind: 'input',
      settled: true,
      message:
        "Invalid value: the Secret's userData is not UTF-8, as if it was packed with gzip, and this cloud takes text only: put it in as text",
    });
    await world.driver.createInstance(gcpRequest('m'));
    expect(await world.driver.createInstance(gcpRequest('m', bytes))).toMatchObject({
      found: true,
    });
  });
});
