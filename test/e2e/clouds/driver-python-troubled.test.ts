/**
 * The driver in Python and a cloud that keeps silent, or that is another: the kit's last checks.
 */
import { complaintsIn, skippedIn, verifyDriver } from '../support/driver-verify.ts';
import type { PythonDriver } from '../support/python-driver.ts';
import { pythonProvider as provider, startPythonClass } from '../support/python-driver.ts';
import { startTroubledCloud, type TroubledCloud } from '../support/troubled-cloud.ts';
import { useScenario } from '../support/scenario.ts';

describe('the driver in Python', () => {
  const scenario = useScenario('python-troubled');
  let driver: PythonDriver;
  let troubled: TroubledCloud;

  beforeAll(async () => {
    troubled = await startTroubledCloud();
    driver = await startPythonClass(scenario, troubled.url);
  });
  // Before the scenario ends: it deletes what is left, which needs the driver.
  afterAll(async () => {
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
