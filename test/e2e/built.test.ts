/** What `npm run build` makes: the processes of the image, and the npm package of the command. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { repository } from '../../deploy/local/layout.ts';
import { foldersOfNodes } from '../support/nodes.ts';
import { built } from './support/launches.ts';
import { createDeployment, deleteDeployment, untilRunning } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';
import { testStack } from './support/test-stack.ts';

const run = promisify(execFile);
const buildLimitMs = 120_000;

describe('the build', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-package-'));
    const build = join(repository, 'tools/build/build.ts');
    await runProgram(process.execPath, [build], { limitMs: buildLimitMs });
  });
  afterAll(() => rm(folder, { recursive: true }));
  const scenario = useScenario('built', { isDoubled: false, launch: built });
  const { cloud, namespace } = scenario;

  test('has processes that bring up three machines and delete them', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 3 });
    await untilRunning(scenario, pool, 3);
    expect(await cloud.instances()).toHaveLength(3);
    await deleteDeployment(scenario, pool);
    expect(await cloud.instances()).toEqual([]);
  });

  test('has a package that npm installs without a network, and whose command stops and resumes', async () => {
    const quiet = { cwd: folder, limitMs: buildLimitMs };
    await runProgram('npm', ['pack', join(repository, 'dist/cli'), '--silent'], quiet);
    const [tarball = ''] = await readdir(folder);
    const offline = ['--offline', '--no-audit', '--no-fund', '--prefix=installed'];
    await runProgram('npm', ['install', ...offline, join(folder, tarball)], quiet);
    const commands = join(folder, 'installed/node_modules/.bin');
    expect((await readdir(commands)).toSorted()).toEqual(['kubectl-millwright', 'millwright']);
    for (const node of await foldersOfNodes()) {
      const millwright = (command: string, ...words: string[]): Promise<string> =>
        said(join(commands, command), words, { PATH: `${node}${delimiter}/usr/bin:/bin` });
      expect(await millwright('millwright', 'stop', '--reason', 'x')).toContain('is stopped since');
      expect(await millwright('kubectl-millwright', 'stop', '--status')).toContain('x');
      expect(await millwright('millwright', 'resume')).toContain(namespace);
      const verify = millwright('millwright', 'driver', 'verify', '--provider', 'virtual');
      await expect(verify).rejects.toThrow(/npm install @temporalio\/client@\S+ .*worker@\S+/);
    }
  });

  test('has a command that checks drivers where the SDK of Temporal is installed', async () => {
    const entrance = join(repository, 'dist/cli/millwright.js');
    const words = [entrance, 'driver', 'verify', '--provider', 'virtual', '-o', 'json'];
    const { temporalAddress } = testStack();
    const printed = await said(process.execPath, words, { TEMPORAL_ADDRESS: temporalAddress });
    expect(JSON.parse(printed)).toMatchObject({ isPassed: true, failed: 0 });
  });

  /** Throws with what it wrote to its standard error when it fails. */
  async function said(
    file: string,
    words: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string> {
    const { layout } = testStack();
    const where = ['-n', namespace, `--kubeconfig=${layout.kubeconfig}`];
    const { stdout } = await run(file, [...words, ...where], {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      timeout: 120_000,
    });
    return stdout;
  }
});
