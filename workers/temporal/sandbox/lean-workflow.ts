/** The main thread's side of a workflow, for the thread of `lean-thread.ts`. */
import type { SinkCall } from '@temporalio/workflow';
import type { Workflow, WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface.js';
import {
  ThreadedVMWorkflowCreator,
  VMWorkflowThreadProxy,
} from '@temporalio/worker/lib/workflow/threaded-vm.js';
import { createUnsafeRandomSource } from '@temporalio/workflow/lib/random-helpers.js';
import { nowMs, random } from '../../../activities/system/system.ts';
import type { SentCall } from './calls-with-completion.ts';
import { takeCalls } from './calls-with-completion.ts';

const functions = { now: nowMs, random: createUnsafeRandomSource(random) };

export class LeanWorkflowCreator extends ThreadedVMWorkflowCreator {
  /** By the thread with the fewest, as the SDK does. */
  override async createWorkflow(options: WorkflowCreateOptions): Promise<Workflow> {
    const [client, ...others] = this.workerThreadClients;
    if (!client) throw new Error('there is no thread for workflows');
    const count = (one: typeof client): number => one.getActiveWorkflowCount();
    const least = others.reduce((best, one) => (count(one) < count(best) ? one : best), client);
    return await LeanWorkflow.create(least, options);
  }
}

type WithCalls = Awaited<ReturnType<Workflow['activate']>> & { sinkCalls?: SentCall[] };

class LeanWorkflow extends VMWorkflowThreadProxy {
  #calls: SinkCall[] | undefined;

  override async activate(
    activation: Parameters<Workflow['activate']>[0],
  ): ReturnType<Workflow['activate']> {
    const completion: WithCalls = await super.activate(activation);
    this.#calls = takeCalls(completion, functions);
    return completion;
  }

  /** Of an activation that failed the thread is asked. */
  override async getAndResetSinkCalls(): Promise<SinkCall[]> {
    const calls = this.#calls;
    this.#calls = undefined;
    return calls ?? (await super.getAndResetSinkCalls());
  }
}
