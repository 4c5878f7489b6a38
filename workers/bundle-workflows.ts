/** Bundles the workflow code into a file, so that workers start a second faster: `bundle-workflows.ts FILE`. */
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

export const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** Written whole or not at all. */
async function writeBundle(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    preloadModules: [fileURLToPath(new URL('../workflows/stack-depth.ts', import.meta.url))],
  });
  await writeFile(`${file}.new`, code);
  await rename(`${file}.new`, file);
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) {
    console.error('Usage: bundle-workflows.ts FILE');
    process.exit(2);
  }
  await writeBundle(file);
}
