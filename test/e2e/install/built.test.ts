/**
 * What `npm run build` makes: the processes of the image. `built-package` has the npm package, by
 * night.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { build, built } from '../support/launches.ts';
import { createDeployment, deleteDeployment, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

describe('the build', () => {
  let out: string;
  beforeAll(async () => {
    out = await build();
  });
  const deploymentName = `built_${randomUUID()}`;
  const scenario = useScenario('built', {
    isDoubled: false,
    launch: built(() => out),
    workerFlags: [`--worker-deployment=${deploymentName}`],
  });
  afterAll(async () => {
    await rm(out, { recursive: true });
  });
  const { cloud } = scenario;

  test('has a command that makes the version of its workers the current one, as the chart does', async () => {
    const file = join(out, 'image', 'millwright.js');
    const words = ['setup', '--current=own', `--deployment=${deploymentName}`];
    const { temporalAddress } = testStack();
    const address = `--temporal-address=${temporalAddress}`;
    const said = await runProgram(process.execPath, [file, ...words, address]);
    expect(said).toMatch(/^made {4}version: \d+\.\d+\.\d+-[0-9a-f]{8} of built_/m);
  });

  test('has processes that bring up three machines and delete them', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 3 });
    await untilRunning(scenario, pool, 3);
    expect(await cloud.instances()).toHaveLength(3);
    await deleteDeployment(scenario, pool);
    expect(await cloud.instances()).toEqual([]);
  });
});
