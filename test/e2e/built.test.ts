/** What `npm run build` makes: the processes of the image, and the npm package of the command. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { foldersOfNodes } from '../support/nodes.ts';
import { build, built, saidBy } from './support/launches.ts';
import { createDeployment, deleteDeployment, untilRunning } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';
import { testStack } from './support/test-stack.ts';

describe('the build', () => {
  let out: string;
  let folder: string;
  beforeAll(async () => {
    out = await build();
    folder = await mkdtemp(join(tmpdir(), 'millwright-package-'));
  });
  const deploymentName = `built_${randomUUID()}`;
  const scenario = useScenario('built', {
    isDoubled: false,
    launch: built(() => out),
    workerFlags: [`--worker-deployment=${deploymentName}`],
  });
  afterAll(async () => {
    await rm(out, { recursive: true });
    await rm(folder, { recursive: true });
  });
  const { cloud, namespace } = scenario;

  test('has a command that makes the version of its workers the current one, as the chart does', async () => {
    const file = join(out, 'image', 'millwright.js');
    const words = ['setup', '--current=own', `--deployment=${deploymentName}`];
    const { temporalAddress } = testStack();
    const address = `--temporal-address=${temporalAddress}`;
    const said = await runProgram(process.execPath, [file, ...words, address], {
      limitMs: 120_000,
    });
    expect(said).toMatch(/^made {4}version: \d+\.\d+\.\d+-[0-9a-f]{8} of built_/m);
  });

  test('has processes that bring up three machines and delete them', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 3 });
    await untilRunning(scenario, pool, 3);
    expect(await cloud.instances()).toHaveLength(3);
    await deleteDeployment(scenario, pool);
    expect(await cloud.instances()).toEqual([]);
  });

  test('has a package that npm installs without a network, and whose command stops and resumes', async () => {
    const quiet = { cwd: folder, limitMs: 120_000 };
    await runProgram('npm', ['pack', join(out, 'cli'), '--silent'], quiet);
    const [tarball = ''] = await readdir(folder);
    const offline = ['--offline', '--no-audit', '--no-fund', '--prefix=installed'];
    await runProgram('npm', ['install', ...offline, join(folder, tarball)], quiet);
    const commands = join(folder, 'installed/node_modules/.bin');
    expect((await readdir(commands)).toSorted()).toEqual(['kubectl-millwright', 'millwright']);
    for (const node of await foldersOfNodes()) {
      const env = { PATH: `${node}${delimiter}/usr/bin:/bin` };
      const millwright = (command: string, ...words: string[]): Promise<string> =>
        saidBy(join(commands, command), [...words, '-n', namespace], env);
      expect(await millwright('millwright', 'stop', '--reason', 'x')).toContain('is stopped since');
      expect(await millwright('kubectl-millwright', 'stop', '--status')).toContain('x');
      expect(await millwright('millwright', 'start')).toContain(namespace);
      expect(await millwright('millwright', 'stuck')).toContain('Nothing is stuck.');
      const address = `--temporal-address=${testStack().temporalAddress}`;
      const asked = await millwright('millwright', 'status', address);
      expect(asked).toMatch(/^Temporal: \S+ answers in \d+ ms; \d+ workers? polls?$/m);
      const verify = millwright('millwright', 'driver', 'verify', '--provider', 'virtual');
      await expect(verify).rejects.toThrow(/npm install @temporalio\/worker@\S+/);
    }
  });
});
