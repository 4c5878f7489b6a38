/** The bundle of the workflow of all scripts, in a file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefaultLogger } from '@temporalio/worker';
import { bundleWorkflows } from '../../../../workers/temporal/bundle-workflows.ts';

const workflowsPath = fileURLToPath(new URL('workflows.ts', import.meta.url));

export interface ScriptBundle {
  codePath: string;
  remove(): Promise<void>;
}

export async function bundleOfScripts(): Promise<ScriptBundle> {
  const { code } = await bundleWorkflows({ workflowsPath, logger: new DefaultLogger('ERROR') });
  const folder = await mkdtemp(join(tmpdir(), 'millwright-scripts-'));
  const codePath = join(folder, 'workflows.js');
  await writeFile(codePath, code);
  return { codePath, remove: () => rm(folder, { recursive: true, force: true }) };
}
