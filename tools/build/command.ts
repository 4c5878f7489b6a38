/** The command `millwright` as an npm package. */
import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { bundleKit } from '../../cli/driver/conformance/temporal.ts';
import { bundle } from './bundle.ts';
import { failureConverter } from './entrances-of-paths.ts';
import { manifest, repository } from './folders.ts';
import { noticeOf } from './notice.ts';
import { copyRunbooks } from './runbooks.ts';

/** Packages that `driver verify` needs beside this one; all else does without. */
const peers = ['@temporalio/worker'] as const;
/** The client is in the package: `explain` is of use at night without another install. */
const bundledSdk = ['client', 'common', 'envconfig', 'proto'].map((name) => `@temporalio/${name}`);
const entrance = 'millwright.js';
const completion = 'kubectl-complete.js';

export async function buildCommand(folder: string): Promise<void> {
  const packages = await bundle({
    folder,
    input: {
      millwright: 'cli/millwright.ts',
      'kubectl-complete': 'cli/kubectl-complete.ts',
      'failure-converter': failureConverter,
    },
    isExternal: isOutside,
    target: 'node20',
    // The undici of the processes does not load on Node 20.
    alias: { undici: 'undici-7' },
  });
  for (const program of [entrance, completion]) await chmod(join(folder, program), 0o755);
  const { code } = await bundleKit(new DefaultLogger('WARN'));
  await writeFile(join(folder, 'kit-workflow-bundle.js'), code);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
  await writeFile(join(folder, 'NOTICE'), await noticeOf(packages));
  await copyRunbooks(folder);
  await copyFile(join(repository, 'LICENSE'), join(folder, 'LICENSE'));
  await copyFile(join(repository, 'cli', 'README.md'), join(folder, 'README.md'));
}

function isOutside(id: string): boolean {
  const isOfSdk = id.startsWith('@temporalio/');
  return isOfSdk && !bundledSdk.some((name) => id === name || id.startsWith(`${name}/`));
}

/** Without dependencies: in an emergency, `npx millwright stop` fetches one small package. */
function packageJson(): object {
  const { name, version, description, license, engines, dependencies } = manifest;
  return {
    name,
    version,
    description: `The command of Millwright. ${description}`,
    license,
    type: 'module',
    engines,
    // kubectl takes the second for its plugin `kubectl millwright`, and completes it by the third.
    bin: {
      millwright: entrance,
      'kubectl-millwright': entrance,
      'kubectl_complete-millwright': completion,
    },
    peerDependencies: Object.fromEntries(peers.map((id) => [id, dependencies[id]])),
    peerDependenciesMeta: Object.fromEntries(peers.map((id) => [id, { optional: true }])),
  };
}
