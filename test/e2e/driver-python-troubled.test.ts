/**
 * The driver in Python and a cloud that keeps silent, or that is another: the kit's last checks.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClass } from './support/classes.ts';
import { complaintsIn, skippedIn, verifyDriver } from './support/driver-verify.ts';
import type { PythonDriver } from './support/python-driver.ts';
import { startPythonDriver } from './support/python-driver.ts';
import { startTroubledCloud, type TroubledCloud } from './support/troubled-cloud.ts';
import { useScenario } from './support/scenario.ts';

const provider = 'python-example';
const installSeconds = 300;

describe('the driver in Python', () => {
  const scenario = useScenario('python-troubled');
  const { cluster } = scenario;
  let driver: PythonDriver;
  let troubled: TroubledCloud;

  beforeAll(async () => {
    troubled = await startTroubledCloud();
    driver = await startPythonDriver(scenario, troubled.url);
    await createClass(scenario, 'python', {
      provider,
      providerSpec: { size: 'medium', zone: 'c' },
    });
  }, installSeconds * 1_000);
  // Before the scenario ends: it deletes what is left, which needs the driver.
  afterAll(async () => {
    await cluster.delete(cluster.pathOf('machineclasses', 'python'));
    await driver.stop();
    await troubled.stop();
  });

  test('does everything that the kit asks in every trouble of its cloud', async () => {
    const trouble = `--trouble=${troubled.command}`;
    const { exitCode, report } = await verifyDriver(scenario, provider, [trouble]);
    expect(complaintsIn(report)).toEqual([]);
    expect(exitCode).toBe(0);
    expect(skippedIn(report)).not.toContainEqual(expect.stringContaining('never answers'));
    expect(skippedIn(report)).not.toContainEqual(expect.stringContaining('HTML page'));
  });
});
