/** A Temporal worker whose workflows cost less CPU (docs/decisions/0035-lean-sandbox.md). */
import { createRequire } from 'node:module';
import type { CompiledWorkerOptions, Logger } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename as Bundle } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';

/** Versions of the SDK whose internals `lean-creator.ts` and `lean-thread.ts` were written for. */
const knownVersions: readonly string[] = ['1.24.0'];

const { version: sdkVersion }: { version: string } = createRequire(import.meta.url)(
  '@temporalio/worker/package.json',
);

/** With another version of the SDK it warns, and is a usual worker. */
export class LeanWorker extends Worker {
  protected static override async createWorkflowCreator(
    bundle: Bundle,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    if (!knownVersions.includes(sdkVersion)) {
      logger.warn(
        `--workflow-sandbox=lean does not know version ${sdkVersion} of the Temporal SDK: workflows run as with --workflow-sandbox=sdk`,
      );
      return await super.createWorkflowCreator(bundle, options, logger);
    }
    // Only now: another version may lack what it imports.
    const { createLeanCreator } = await import('./lean-creator.ts');
    return await createLeanCreator(bundle, options, logger);
  }
}
