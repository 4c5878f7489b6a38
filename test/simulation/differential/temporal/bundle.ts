/** The bundle of the workflow of all scripts, in a file. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefaultLogger } from '@temporalio/worker';
import { bundleWorkflows } from '../../../../workers/temporal/bundle-workflows.ts';

const workflowsPath = fileURLToPath(new URL('workflows.ts', import.meta.url));

export async function bundleOfScripts(): Promise<string> {
  const { code } = await bundleWorkflows({ workflowsPath, logger: new DefaultLogger('ERROR') });
  const folder = await mkdtemp(join(tmpdir(), 'millwright-scripts-'));
  const file = join(folder, 'workflows.js');
  await writeFile(file, code);
  return file;
}
