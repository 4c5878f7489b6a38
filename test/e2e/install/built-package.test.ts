/** What `npm run build` makes: the npm package of the command. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stringify } from 'yaml';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { someAuthority } from '../../support/example-authority.ts';
import { foldersOfNodes } from '../../support/nodes.ts';
import { build, saidBy } from '../support/launches.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const kubernetes = {
  version: '1.34.2',
  apiServer: 'https://api.example.com',
  caBundle: someAuthority,
  clusterDNS: ['10.96.0.10'],
};

describe('the build', () => {
  let out: string;
  let folder: string;
  beforeAll(async () => {
    out = await build();
    folder = await mkdtemp(join(tmpdir(), 'millwright-package-'));
  });
  const { namespace } = useScenario('package', { isDoubled: false });
  afterAll(async () => {
    await rm(out, { recursive: true });
    await rm(folder, { recursive: true });
  });

  test('has a package that npm installs without a network, and whose command stops and resumes', async () => {
    const quiet = { cwd: folder };
    await runProgram('npm', ['pack', join(out, 'cli'), '--silent'], quiet);
    const [tarball = ''] = await readdir(folder);
    const config = join(folder, 'config.yaml');
    await writeFile(config, stringify({ kubernetes }));
    const offline = ['--offline', '--no-audit', '--no-fund', '--prefix=installed'];
    await runProgram('npm', ['install', ...offline, join(folder, tarball)], quiet);
    const commands = join(folder, 'installed/node_modules/.bin');
    expect((await readdir(commands)).toSorted()).toEqual([
      'kubectl-millwright',
      'kubectl_complete-millwright',
      'millwright',
    ]);
    for (const node of await foldersOfNodes()) {
      const env = { PATH: `${node}${delimiter}/usr/bin:/bin` };
      const millwright = (command: string, ...words: string[]): Promise<string> =>
        saidBy(join(commands, command), [...words, '-n', namespace], env);
      expect(await millwright('millwright', 'stop', '--reason', 'x')).toContain('is stopped since');
      expect(await millwright('kubectl-millwright', 'stop', '--status')).toContain('x');
      const completed = await runProgram(
        join(commands, 'kubectl_complete-millwright'),
        ['skip-d'],
        {
          env,
        },
      );
      expect(completed).toMatch(/^skip-drain\t/);
      expect(await millwright('millwright', 'start')).toContain(namespace);
      expect(await millwright('millwright', 'stuck')).toContain('Nothing is stuck.');
      const address = `--temporal-address=${testStack().temporalAddress}`;
      const asked = await millwright('millwright', 'status', address);
      expect(asked).toMatch(/^Temporal: \S+ answers in \d+ ms; \d+ workers? polls?$/m);
      const profile = ['--profile=flatcar', '--provider=AWS', `--config=${config}`];
      expect(await millwright('millwright', 'userdata', 'render', ...profile)).toContain(
        '{"ignition":',
      );
      const verify = millwright('millwright', 'driver', 'verify', '--provider', 'virtual');
      await expect(verify).rejects.toThrow(/npm install @temporalio\/worker@\S+/);
    }
  });
});
