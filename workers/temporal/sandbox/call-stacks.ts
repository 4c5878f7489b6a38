/**
 * The Call Stack tab of the Temporal UI: each activity and timer that a workflow waits for, since
 * when, and our code that called it. The SDK takes a stack for every promise, which is half of what
 * a workflow costs; this takes one for each call, and formats it when somebody looks.
 */
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import type { Activator, Stack } from '@temporalio/workflow/lib/internals.js';

/** The step that made the call stands below the SDK's code for it. */
const framesOfCall = 40;

export function answerStackQueries(): void {
  Error.stackTraceLimit = framesOfCall;
  const { createWorkflow } = ReusableVMWorkflowCreator.prototype;
  ReusableVMWorkflowCreator.prototype.createWorkflow = async function (options) {
    const workflow = await createWorkflow.call(this, options);
    followCalls(Object(workflow).activator);
    return workflow;
  };
}

/** Calls are passed on at once: what waited in here would run after the turn of the workflow. */
function followCalls(activator: Activator): void {
  const { completions }: { completions: Record<'activity' | 'timer', Map<number, unknown>> } =
    Object(activator);
  let calls: { call: Call; isPending: () => boolean }[] = [];
  const note = (kind: keyof typeof completions, name: string, seq: number): void => {
    calls = calls.filter(({ isPending }) => isPending());
    const call = new Call(`${kind} ${name} since ${new Date(activator.now).toISOString()}`);
    calls.push({ call, isPending: () => completions[kind].has(seq) });
  };
  activator.interceptors.outbound.unshift({
    scheduleActivity(input, next) {
      note('activity', input.activityType, input.seq);
      return next(input);
    },
    scheduleLocalActivity(input, next) {
      note('activity', input.activityType, input.seq);
      return next(input);
    },
    startTimer(input, next) {
      note('timer', JSON.stringify(input.options?.summary ?? ''), input.seq);
      return next(input);
    },
  });
  const getStackTraces = (): Stack[] => {
    const stacks = calls.filter(({ isPending }) => isPending()).map(({ call }) => call.where());
    return stacks.length > 0 ? stacks : [{ formatted: activator.currentDetails, structured: [] }];
  };
  Object.assign(activator, { getStackTraces });
}

/** The SDK maps the stacks of all classes but `Error` itself to the sources. */
class Call extends Error {
  #where: Stack | undefined;

  /** Without the frames of packages and interceptors; paths as in the repository. */
  where(): Stack {
    this.#where ??= this.#format();
    return this.#where;
  }

  #format(): Stack {
    // Read once, it is kept as it is.
    void this.stack;
    const structured = (globalHandlers.currentStackTrace ?? []).flatMap((frame) => {
      const { file_path: path = 'node:' } = frame;
      if (/^(node|file|evalmachine)|\/node_modules\/|-interceptors\.ts$/.test(path)) return [];
      return [{ ...frame, file_path: path.replace(/^.*\/(?=workflows\/)/, '') }];
    });
    const lines = structured.map(
      ({ function_name: name, file_path, line }) =>
        `    at ${name || '<anonymous>'} (${file_path}:${line})`,
    );
    return { formatted: [this.message, ...lines].join('\n'), structured };
  }
}
