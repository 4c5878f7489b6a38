/**
 * The thread that workflows run in. Before the SDK's own code for it begins, this takes away what
 * costs most of its time and what our workflows do not need (README.md).
 */
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import type { Timer } from '../../../activities/system/system.ts';
import { after } from '../../../activities/system/system.ts';
import { answerStackQueries } from './call-stacks.ts';
import { makePlainContexts } from './plain-contexts.ts';

/** Node.js starts and joins a thread for each call with a time limit. `WatchedClient` has ours. */
function withoutTimeLimits(): void {
  const { runInContext } = vm.Script.prototype;
  vm.Script.prototype.runInContext = function (context, options) {
    const { timeout: _timeout, ...others } = options ?? {};
    return runInContext.call(this, context, others);
  };
}

/** The SDK takes a stack for every promise; `answerStackQueries` takes one for each call. */
function withoutPromiseHook(): void {
  Object.assign(globalHandlers, { setPromiseHook: () => undefined });
  answerStackQueries();
}

/**
 * Answers a request whose code `WatchedClient` interrupted: such code runs no `catch` and no
 * `finally`. The SDK runs the code of a workflow in its listener, which stands between these two.
 * All three are added in one turn, as messages come from the first one on.
 */
function listen(): void {
  let answer: Timer | undefined;
  parentPort?.on('message', ({ requestId }: { requestId: bigint }) => {
    const result = { type: 'error', name: 'Error', message: String(workerData) };
    answer = after(0, () => parentPort?.postMessage({ requestId, result }, []));
  });
  createRequire(import.meta.url)('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
  parentPort?.on('message', () => answer?.cancel());
}

withoutTimeLimits();
makePlainContexts();
withoutPromiseHook();
listen();
