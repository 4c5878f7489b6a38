/** Bundles the workflow code into a file, so that workers start a second faster: `bundle-workflows.ts FILE`. */
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BundleOptions, WorkerOptions } from '@temporalio/worker';
import { bundleWorkflowCode } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** What is bundled: the same in a process of ours and in a test. */
export const bundleOptions = {
  workflowsPath,
  payloadConverterPath: fileURLToPath(
    new URL('../workflows/payload-converter.ts', import.meta.url),
  ),
  preloadModules: [fileURLToPath(new URL('../workflows/stack-depth.ts', import.meta.url))],
} satisfies BundleOptions;

/** A history that cannot be replayed fails its run instead of stopping it for ever: docs/decisions/0006-broken-histories.md. */
export const failingErrors = { '*': ['NondeterminismError'] } satisfies NonNullable<
  WorkerOptions['workflowFailureErrorTypes']
>;

/** Written whole or not at all. */
async function writeBundle(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode(bundleOptions);
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
