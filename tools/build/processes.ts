/** Watcher, worker, front and command, as the container image runs them. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { mcmNames } from '../../workers/config/mcm-name.ts';
import { bundleWorkflows } from '../../workers/temporal/bundle-workflows.ts';
import { bundle } from './bundle.ts';
import { failureConverter } from './entrances-of-paths.ts';
import { manifest } from './folders.ts';
import { copyDataFiles } from './data-files.ts';

/** Processes that the image can run, by the names of their files without `.js`. */
export const entrances = {
  watcher: 'workers/watcher.ts',
  worker: 'workers/worker.ts',
  front: 'workers/front.ts',
  millwright: 'cli/millwright.ts',
} as const;

/** As in deploy/Dockerfile. */
const nodeFlags = '--max-semi-space-size=8 --heap-growing-percent=30 --disable-sigusr1';

/**
 * Programs by the names of those of MCM, for pods whose command others write: gardenlet starts
 * `./machine-controller-manager`. A kernel hands an interpreter one argument, which `env` splits.
 */
export async function writePrograms(folder: string): Promise<void> {
  for (const [entrance, program] of Object.entries(mcmNames)) {
    const script = `#!/usr/bin/env -S node ${nodeFlags}\nimport './${entrance}.js';\n`;
    await writeFile(join(folder, program), script);
    await chmod(join(folder, program), 0o755);
  }
}

export async function buildProcesses(folder: string): Promise<void> {
  await bundle({
    folder,
    input: {
      ...entrances,
      'lean-thread': 'workers/temporal/sandbox/lean-thread.ts',
      'failure-converter': failureConverter,
    },
    // Packages stay as they are published: scanners of images find them by their package.json, and
    // native parts, threads and files that they load by path keep their places.
    isExternal: (id) => !/^(?:\.|\/|node:)/.test(id),
    target: 'node24',
  });
  const { code } = await bundleWorkflows({ logger: new DefaultLogger('WARN') });
  await writeFile(join(folder, 'workflow-bundle.js'), code);
  await writePrograms(folder);
  await copyDataFiles(folder);
  const { name, version, license } = manifest;
  const text = JSON.stringify({ name, version, license, private: true, type: 'module' }, null, 2);
  await writeFile(join(folder, 'package.json'), `${text}\n`);
}
