/**
 * The conformance kit and the drivers of clouds: the real SDKs, moto for AWS, doubles for Azure and
 * Google Cloud.
 */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { aws } from './support/clouds/aws.ts';
import { azure } from './support/clouds/azure.ts';
import type { RunningCloud } from './support/clouds/cloud-case.ts';
import { gcp } from './support/clouds/gcp.ts';
import { createClass, createSecret } from './support/classes.ts';
import { complaintsIn, verifyDriver } from './support/driver-verify.ts';
import { Scenario } from './support/scenario.ts';

jest.setTimeout(1_200_000);

describe.each([aws, azure, gcp])('the driver of $provider', ({ provider, start }) => {
  const name = 'cloudy';
  let cloud: RunningCloud;
  let scenario: Scenario;

  beforeAll(async () => {
    cloud = await start();
    const workerEnv = (): Record<string, string> => cloud.envFor(cloud.upstream.origin);
    scenario = new Scenario(`kit-${provider.toLowerCase()}`, { workerEnv });
    await scenario.start();
    await createSecret(scenario, name, cloud.secret);
    await createClass(scenario, name, { provider, providerSpec: cloud.providerSpec, secret: name });
  });
  afterAll(async () => {
    try {
      await scenario.end();
    } finally {
      await cloud.stop();
    }
  });

  test('does everything that the kit asks, and leaves nothing in the cloud', async () => {
    const { exitCode, report } = await verifyDriver(scenario, provider, [`--class=${name}`]);
    expect(complaintsIn(report)).toEqual([]);
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, isPassed: true, failed: 0 });
    expect(report.ok).toBeGreaterThan(30);
    expect(await cloud.living()).toEqual([]);
  });
});
