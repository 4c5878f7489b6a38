/**
 * The thread that workflows run in. Before the SDK's own code for it begins, this takes away what
 * costs most of its time and what our workflows do not need
 * (docs/decisions/0035-lean-sandbox.md).
 */
import vm from 'node:vm';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { makePlainContexts } from './plain-contexts.ts';

/** Node.js starts and joins a thread for each call with a time limit. Ours is `ThreadWatch`. */
function withoutTimeLimits(): void {
  const { runInContext } = vm.Script.prototype;
  vm.Script.prototype.runInContext = function (context, options) {
    const { timeout: _timeout, ...others } = options ?? {};
    return runInContext.call(this, context, others);
  };
}

/** The SDK takes a stack for every promise. Its query for stacks then answers that it has none. */
function withoutPromiseHook(): void {
  Object.assign(globalHandlers, { setPromiseHook: () => undefined });
}

withoutTimeLimits();
makePlainContexts();
withoutPromiseHook();
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
