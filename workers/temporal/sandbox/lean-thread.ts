/**
 * The thread that workflows run in. Before the SDK's own code for it begins, this takes away what
 * costs most of its time and what our workflows do not need (README.md).
 */
import vm from 'node:vm';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
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

withoutTimeLimits();
makePlainContexts();
withoutPromiseHook();
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
