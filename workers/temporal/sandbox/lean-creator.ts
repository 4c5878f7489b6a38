/** The SDK's threads for workflows, with our entrance (`lean-thread.ts`) and our time limit. */
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
import { every, nowMs, sleep } from '../../../activities/system/system.ts';
import { interrupt } from './interrupt.ts';

const entrance = new URL('lean-thread.ts', import.meta.url);
const checkEveryMs = 1_000;
/** In checks. */
const longestSilence = 60;
/** Checks after which a process is killed that cannot end by itself. */
const endedAfter = 10;
const mostInterruptions = 3;
const rememberedMs = 600_000;

/** As `ThreadedVMWorkflowCreator.create` of SDK 1.24.0. */
export async function createLeanCreator(
  workflowBundle: Bundle,
  options: CompiledWorkerOptions,
  logger: Logger,
): Promise<WorkflowCreator> {
  const { workflowThreadPoolSize, isolateExecutionTimeoutMs } = options;
  const clients = Array.from(
    { length: workflowThreadPoolSize },
    () => new WatchedClient(logger, isolateExecutionTimeoutMs),
  );
  const init = {
    type: 'init',
    workflowBundle: withoutInlineMap(workflowBundle),
    isolateExecutionTimeoutMs,
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

/**
 * Interrupts code that does not come back, as the SDK's time limit does, with one watch for all
 * calls of a thread: the workflow task fails, and the thread goes on with other workflows. They
 * wait meanwhile, so a run that was interrupted three times in ten minutes is not tried.
 */
class WatchedClient extends WorkerThreadClient {
  readonly #fault: string;
  readonly #mostSilentChecks: number;
  #interruptions: { runId: string; at: number }[] = [];
  /** Requests without an answer, and what answers them with a failure. */
  readonly #pending = new Map<WorkerThreadInput, (error: Error) => void>();
  /** Checks in a row without an answer. A process that stood still counts as one. */
  #silentChecks = 0;

  constructor(logger: Logger, limitMs: number) {
    super(new Thread(entrance), logger);
    this.#fault = `the code of the workflow did not come back within ${limitMs / 1_000} s`;
    // A request may come just before the first of them.
    this.#mostSilentChecks = Math.max(2, Math.ceil(limitMs / checkEveryMs));
  }

  override async send(input: WorkerThreadInput): ReturnType<WorkerThreadClient['send']> {
    if (input.type === 'activate-workflow') this.#refuseRepeated(input.runId);
    const { promise: interrupted, reject } = Promise.withResolvers<never>();
    this.#pending.set(input, reject);
    try {
      return await Promise.race([super.send(input), interrupted]);
    } catch (error) {
      if (error instanceof Error && error.message === this.#fault && 'runId' in input)
        this.#interruptions.push({ runId: input.runId, at: nowMs() });
      throw error;
    } finally {
      this.#pending.delete(input);
      this.#silentChecks = 0;
    }
  }

  #refuseRepeated(runId: string): void {
    const now = nowMs();
    this.#interruptions = this.#interruptions.filter(({ at }) => at > now - rememberedMs);
    const count = this.#interruptions.filter((past) => past.runId === runId).length;
    if (count < mostInterruptions) return;
    throw new Error(`${this.#fault}, ${count} times in ten minutes; this task was not tried`);
  }

  watch(): void {
    const timer = every(checkEveryMs, () => this.#check(), { keepsAlive: false });
    this.workerThread.once('exit', () => timer.cancel());
  }

  #check(): void {
    this.#silentChecks = this.#pending.size > 0 ? this.#silentChecks + 1 : 0;
    if (this.#silentChecks === 0) return;
    if (this.#silentChecks === longestSilence) {
      this.logger.error('a thread of workflows cannot be interrupted: the process ends');
      void this.workerThread.terminate();
    } else if (this.#silentChecks > longestSilence + endedAfter) {
      // A loop of builtins alone, as `while (text.endsWith('a'))`: V8 has no means to end it.
      process.kill(process.pid, 'SIGKILL');
    } else if (this.#silentChecks % this.#mostSilentChecks === 0) {
      void this.#interrupt();
    }
  }

  /**
   * Code that was interrupted runs no `catch` and no `finally`, so nothing in the thread answers
   * for it. Once the thread answers another request it goes on, and owes nothing of before.
   */
  async #interrupt(): Promise<void> {
    const requests = [...this.#pending.values()];
    interrupt(this.workerThread);
    await super.send({ type: 'extract-sink-calls', runId: 'none' }).catch(() => undefined);
    await sleep(checkEveryMs, { keepsAlive: false });
    for (const reject of requests) reject(new Error(this.#fault));
  }
}
