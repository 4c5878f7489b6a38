/**
 * The threads that workflows run in, shared by the workers of a test file. The SDK starts one for
 * each worker, and a test has workers of its own: to parse the bundle and to load it in a thread
 * takes a quarter of a second of CPU, longer than most tests run.
 */
import type { CompiledWorkerOptions, Logger, WorkerOptions } from '@temporalio/worker';
import type { Worker } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename as Bundle } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import { LeanWorker } from '../../workers/temporal/sandbox/lean-worker.ts';

export class SharedSandboxes {
  readonly #bundles = new Map<string, Promise<Bundle | undefined>>();
  readonly #sandboxes = new Map<string, Promise<WorkflowCreator>>();
  readonly #worker = workerWith(this);

  createWorker(options: WorkerOptions): Promise<Worker> {
    return this.#worker.create(options);
  }

  bundle(
    { workflowBundle }: CompiledWorkerOptions,
    parse: () => Promise<Bundle | undefined>,
  ): Promise<Bundle | undefined> {
    return once(this.#bundles, JSON.stringify(workflowBundle), parse);
  }

  /** It knows the names of the local activities, so workers with other ones have another. */
  async sandbox(
    { activities, workflowBundle }: CompiledWorkerOptions,
    start: () => Promise<WorkflowCreator>,
  ): Promise<WorkflowCreator> {
    const key = JSON.stringify([workflowBundle, [...activities.keys()].toSorted()]);
    const sandbox = await once(this.#sandboxes, key, start);
    return {
      createWorkflow: (options) => sandbox.createWorkflow(options),
      // A worker that ends leaves it to the next one.
      destroy: () => Promise.resolve(),
    };
  }

  async stop(): Promise<void> {
    const sandboxes = await Promise.all(this.#sandboxes.values());
    await Promise.all(sandboxes.map((sandbox) => sandbox.destroy()));
  }
}

/** A class and not an option: the SDK has none for this. */
function workerWith(shared: SharedSandboxes): typeof Worker {
  return class SharingWorker extends LeanWorker {
    protected static override getOrCreateBundle(
      options: CompiledWorkerOptions,
      logger: Logger,
    ): Promise<Bundle | undefined> {
      return shared.bundle(options, () => super.getOrCreateBundle(options, logger));
    }

    protected static override createWorkflowCreator(
      bundle: Bundle,
      options: CompiledWorkerOptions,
      logger: Logger,
    ): Promise<WorkflowCreator> {
      const start = (): Promise<WorkflowCreator> =>
        super.createWorkflowCreator(bundle, options, logger);
      return shared.sandbox(options, start);
    }
  };
}

function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  return made;
}
