/** Finds a thread that is stuck in the code of a workflow, as in an endless loop. */
import type { WorkerThreadInput } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';

/** In so many checks in a row nothing was answered. A process that stood still counts as one. */
export const mostSilentChecks = 10;

export class ThreadWatch {
  /** Oldest first: the thread answers them in turn. */
  readonly #pending = new Set<WorkerThreadInput>();
  /** Type and id of each workflow in the thread, by run id. */
  readonly #workflows = new Map<string, string>();
  #hasAnswered = false;
  #silentChecks = 0;

  asked(input: WorkerThreadInput): void {
    this.#pending.add(input);
    if (input.type !== 'create-workflow') return;
    const { runId, workflowId, workflowType } = input.options.info;
    this.#workflows.set(runId, `${workflowType} ${workflowId}`);
  }

  answered(input: WorkerThreadInput): void {
    this.#pending.delete(input);
    this.#hasAnswered = true;
    if (input.type === 'dispose-workflow') this.#workflows.delete(input.runId);
  }

  /** To be called each second. Returns the workflow that the thread is stuck in, if it is. */
  check(): string | undefined {
    const isSilent = this.#pending.size > 0 && !this.#hasAnswered;
    this.#silentChecks = isSilent ? this.#silentChecks + 1 : 0;
    this.#hasAnswered = false;
    if (this.#silentChecks < mostSilentChecks) return undefined;
    const [oldest] = this.#pending;
    const runId = oldest && runIdOf(oldest);
    return (runId !== undefined && this.#workflows.get(runId)) || 'a workflow';
  }
}

function runIdOf(input: WorkerThreadInput): string | undefined {
  if (input.type === 'create-workflow') return input.options.info.runId;
  return 'runId' in input ? input.runId : undefined;
}
