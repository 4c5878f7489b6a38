/** The SDK's threads for workflows, with our entrance (`lean-thread.ts`) and our watch. */
import { Worker as Thread } from 'node:worker_threads';
import type { CompiledWorkerOptions, Logger } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import {
  ThreadedVMWorkflowCreator,
  WorkerThreadClient,
} from '@temporalio/worker/lib/workflow/threaded-vm.js';
import type {
  WorkerThreadInput,
  WorkflowBundleWithSourceMapAndFilename as Bundle,
} from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import { every } from '../../../activities/system/system.ts';
import { mostSilentChecks, ThreadWatch } from './thread-watch.ts';

const entrance = new URL('lean-thread.ts', import.meta.url);
const checkEveryMs = 1_000;

/** As `ThreadedVMWorkflowCreator.create` of SDK 1.24.0. */
export async function createLeanCreator(
  workflowBundle: Bundle,
  options: CompiledWorkerOptions,
  logger: Logger,
): Promise<WorkflowCreator> {
  const count = options.workflowThreadPoolSize;
  const clients = Array.from({ length: count }, () => new WatchedClient(logger));
  const init = {
    type: 'init',
    workflowBundle: withoutInlineMap(workflowBundle),
    isolateExecutionTimeoutMs: options.isolateExecutionTimeoutMs,
    reuseV8Context: true,
    registeredActivityNames: new Set(options.activities.keys()),
    hasPatchActivationCallback: false,
  } as const;
  await Promise.all(clients.map((client) => client.send(init)));
  for (const client of clients) client.watch();
  return new ThreadedVMWorkflowCreator(clients);
}

/**
 * The thread keeps the code for good. The map inside it, which is more than half of it, is for
 * debuggers; stacks are read with the map beside it.
 */
function withoutInlineMap(bundle: Bundle): Bundle {
  const at = bundle.code.lastIndexOf('//# sourceMappingURL=');
  return at < 0 ? bundle : { ...bundle, code: bundle.code.slice(0, at) };
}

class WatchedClient extends WorkerThreadClient {
  readonly #watch = new ThreadWatch();

  constructor(logger: Logger) {
    super(new Thread(entrance), logger);
  }

  override async send(input: WorkerThreadInput): ReturnType<WorkerThreadClient['send']> {
    this.#watch.asked(input);
    try {
      return await super.send(input);
    } finally {
      this.#watch.answered(input);
    }
  }

  /** A thread that is stuck ends, and with it the Temporal worker, and so the process. */
  watch(): void {
    const timer = every(checkEveryMs, () => this.#check(), { keepsAlive: false });
    this.workerThread.once('exit', () => timer.cancel());
  }

  #check(): void {
    const workflow = this.#watch.check();
    if (workflow === undefined) return;
    this.logger.error(
      `The code of ${workflow} has not come back for ${mostSilentChecks} s. The process ends, as no other workflow gets on`,
    );
    void this.workerThread.terminate();
  }
}
