/** The conformance kit and the drivers of clouds, with their real SDKs. */
import { createClass, createSecret } from '../classes.ts';
import { complaintsIn, verifyDriver } from '../driver-verify.ts';
import { Scenario } from '../scenario.ts';
import type { CloudCase, RunningCloud } from './cloud-case.ts';

export function describeCloud({ provider, start }: CloudCase): void {
  describe(`the driver of ${provider}`, () => {
    const name = 'cloudy';
    let cloud: RunningCloud;
    let scenario: Scenario;

    beforeAll(async () => {
      cloud = await start();
      const workerEnv = (): Record<string, string> => cloud.envFor(cloud.upstream.origin);
      scenario = new Scenario(`kit-${provider.toLowerCase()}`, { workerEnv });
      await scenario.start();
      await createSecret(scenario, name, cloud.secret);
      await createClass(scenario, name, {
        provider,
        providerSpec: cloud.providerSpec,
        secret: name,
      });
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
}
