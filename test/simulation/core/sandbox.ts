/** The SDK's own sandbox for workflow code, without its server and its native core. */
import { readFile } from 'node:fs/promises';
import { TypedSearchAttributes } from '@temporalio/common';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface.js';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';
import Long from 'long';
import { makePlainContexts } from '../../../workers/temporal/sandbox/plain-contexts.ts';
import type { RunInfo } from '../temporal/messages.ts';

export interface Sandbox {
  /** Before its first activation, at this time, milliseconds since 1970. */
  create(run: RunInfo, at: number): Promise<Workflow>;
}

/**
 * One for each bundle. The workers of a bundle share it: it keeps their workflows apart, and each
 * start of a process would otherwise load the bundle anew.
 */
export class Sandboxes {
  readonly #made = new Map<string, Promise<Sandbox>>();

  for(options: SandboxOptions): Promise<Sandbox> {
    const { codePath } = options;
    const made = this.#made.get(codePath) ?? createSandbox(options);
    this.#made.set(codePath, made);
    return made;
  }
}

export interface SandboxOptions {
  /** File with the bundle. */
  codePath: string;
  /** Of the worker that runs workflows; the SDK warns of others. */
  activityNames: readonly string[];
  /** By workflow type: errors that fail the run. */
  failingErrors: readonly string[];
}

async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const code = parseWorkflowCode(await readFile(options.codePath, 'utf8'), options.codePath);
  const names = new Set(options.activityNames);
  // No time limit: its watchdog is a thread for each call, and time stands still meanwhile.
  const creator: ReusableVMWorkflowCreator = await withPlainContexts(() =>
    Reflect.apply(ReusableVMWorkflowCreator.create, ReusableVMWorkflowCreator, [
      code,
      undefined,
      names,
      () => true,
    ]),
  );
  // It takes a stack for every promise, for a tab of the Temporal UI.
  globalHandlers['stopPromiseHook']();
  return {
    create: (run, at) =>
      creator.createWorkflow({
        info: infoOf(run, at),
        randomnessSeed: Array.from(Long.fromNumber(run.randomnessSeed, true).toBytes()),
        now: at,
        showStackTraceSources: false,
        failureExceptionTypeNames: [...options.failingErrors],
      }),
  };
}

async function withPlainContexts<T>(work: () => Promise<T>): Promise<T> {
  const undo = makePlainContexts();
  try {
    return await work();
  } finally {
    undo();
  }
}

function infoOf(run: RunInfo, at: number) {
  const { workflowId, runId, workflowType, taskQueue, namespace, attempt } = run;
  return {
    workflowId,
    runId,
    workflowType,
    taskQueue,
    namespace,
    attempt,
    searchAttributes: {},
    typedSearchAttributes: new TypedSearchAttributes(),
    firstExecutionRunId: run.firstRunId,
    originalExecutionRunId: runId,
    ...(run.continuedFromRunId !== '' && { continuedFromExecutionRunId: run.continuedFromRunId }),
    startTime: new Date(run.startedAt),
    runStartTime: new Date(run.runStartedAt),
    taskTimeoutMs: run.taskTimeoutMs,
    historyLength: 3,
    historySize: 0,
    continueAsNewSuggested: false,
    targetWorkerDeploymentVersionChanged: false,
    suggestedContinueAsNewReasons: [],
    unsafe: {
      now: () => at,
      isReplaying: false,
      isReplayingHistoryEvents: false,
      random: createUnsafeRandomSource(() => 0.5),
    },
    priority: {},
  };
}
