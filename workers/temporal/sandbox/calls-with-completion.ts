/**
 * What a workflow has to tell sinks, its metrics and log lines, comes with the completion of its
 * activation. The SDK asks for it in a second message, whose answer has a copy of all that is known
 * of the run for each line (docs/decisions/0035-lean-sandbox.md).
 */
import type { SinkCall } from '@temporalio/workflow';

type SentInfo = Omit<SinkCall['workflowInfo'], 'unsafe'> & {
  unsafe: Omit<SinkCall['workflowInfo']['unsafe'], 'now' | 'random'>;
};
/** A call on its way between the threads, which no function can go. */
export type SentCall = Omit<SinkCall, 'workflowInfo'> & { workflowInfo: SentInfo };

/** What `ReusableVMWorkflow` of the SDK has of a workflow. */
export interface ActivatedWorkflow<Activation, Completion> {
  activate(activation: Activation): Promise<Completion>;
  getAndResetSinkCalls(): Promise<SinkCall[]>;
}

/** In the thread of the workflows: `prototype` is that of all of them. */
export function sendCallsWithCompletion<Activation, Completion extends object>(
  prototype: ActivatedWorkflow<Activation, Completion>,
): void {
  const { activate } = prototype;
  prototype.activate = async function (activation) {
    const completion = await activate.call(this, activation);
    return Object.assign(completion, { sinkCalls: sentCalls(await this.getAndResetSinkCalls()) });
  };
}

/** Calls that share what they know of the run go on sharing it, so that it is copied once. */
function sentCalls(calls: readonly SinkCall[]): SentCall[] {
  const sent = new Map<SinkCall['workflowInfo'], SentInfo>();
  return calls.map((call) => {
    const workflowInfo = sent.get(call.workflowInfo) ?? withoutFunctions(call.workflowInfo);
    sent.set(call.workflowInfo, workflowInfo);
    return { ...call, workflowInfo };
  });
}

function withoutFunctions({ unsafe, ...info }: SinkCall['workflowInfo']): SentInfo {
  const { now: _now, random: _random, ...others } = unsafe;
  return { ...info, unsafe: others };
}

/** In the main thread. Undefined: the completion has none with it. */
export function takeCalls(
  completion: object & { sinkCalls?: SentCall[] },
  functions: Pick<SinkCall['workflowInfo']['unsafe'], 'now' | 'random'>,
): SinkCall[] | undefined {
  const { sinkCalls } = completion;
  delete completion.sinkCalls;
  return sinkCalls?.map((call) => {
    const workflowInfo = Object.assign(call.workflowInfo, {
      unsafe: Object.assign(call.workflowInfo.unsafe, functions),
    });
    return { ...call, workflowInfo };
  });
}
