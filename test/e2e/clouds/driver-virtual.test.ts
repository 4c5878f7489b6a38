/** The conformance kit and the driver that is built in. */
import { createClass } from '../support/classes.ts';
import {
  complaintsIn,
  expectOnlyClasses,
  skippedIn,
  verifyDriver,
} from '../support/driver-verify.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';
import { startTroubledCloud, type TroubledCloud } from '../support/troubled-cloud.ts';
import { VirtualCloud } from '../support/virtual-cloud.ts';

describe("the virtual cloud's driver", () => {
  let troubled: TroubledCloud;
  // Before the scenario's worker starts, which finds the cloud by its environment.
  beforeAll(async () => {
    troubled = await startTroubledCloud();
  });
  const scenario = useScenario('driver', {
    workerEnv: () => ({ MILLWRIGHT_VIRTUAL_CLOUD: troubled.url }),
  });
  afterAll(() => troubled.stop());

  test('does everything that the kit asks, and the kit leaves nothing behind', async () => {
    const providerSpec = { zone: 'b', size: 'medium', needsInitialization: true };
    await createClass(scenario, 'slow', { provider: 'virtual', providerSpec });
    const more = [
      '--class=slow',
      '--bad-spec={"size": "huge"}',
      '--bad-spec={"tags": {"a": 1}}',
      `--trouble=${troubled.command}`,
    ];
    const { exitCode, report } = await verifyDriver(scenario, 'virtual', more);
    expect(complaintsIn(report)).toEqual([]);
    expect({ exitCode, ...report }).toMatchObject({ exitCode: 0, isPassed: true, failed: 0 });
    expect(report.ok).toBeGreaterThan(30);
    expect(skippedIn(report)).toEqual([expect.stringContaining('dies right after its create')]);
    const cloud = new VirtualCloud(testStack().virtualCloud, report.run);
    expect(await cloud.instances()).toEqual([]);
    const { machinesPerToken, createsPerName } = await cloud.calls();
    expect(machinesPerToken.offenders).toEqual({});
    expect(Math.max(...Object.values(createsPerName))).toBe(1);
    await expectOnlyClasses(scenario, ['slow', 'small']);
  });

  test('the local stack serves the provider local as well', async () => {
    await createClass(scenario, 'gardener', { provider: 'local' });
    const { exitCode, report } = await verifyDriver(scenario, 'local', ['--class=gardener']);
    expect({ exitCode, complaints: complaintsIn(report) }).toEqual({ exitCode: 0, complaints: [] });
    await expectOnlyClasses(scenario, ['gardener', 'slow', 'small']);
  });

  test('a provider that nobody serves is said in words', async () => {
    await createClass(scenario, 'mars', { provider: 'mars' });
    await expect(verifyDriver(scenario, 'mars')).rejects.toThrow(
      /no worker serves the task queue millwright\/[-0-9a-f]{36}\/driver-.*\/driver\/mars\/create: start the driver/,
    );
  });
});
