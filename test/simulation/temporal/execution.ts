/** One run of a workflow, as the server has it. */
import type { Timer } from '../../../activities/system/system.ts';
import type { Simulation } from '../engine/simulation.ts';
import { partsOf } from './durations.ts';
import { GrpcError } from './grpc-errors.ts';
import { History } from './history.ts';
import type {
  Activation,
  ActivityTask,
  Command,
  Failure,
  Job,
  Payload,
  QueryAnswer,
  RetryPolicy,
  RunInfo,
  WorkflowTask,
  WorkflowTaskCompletion,
  WorkflowTaskFailure,
} from './messages.ts';
import type { ActivitySpec } from './pending-activity.ts';
import { PendingActivity } from './pending-activity.ts';
import type { ServerTimers } from './server-timers.ts';
import type { TaskQueue } from './task-queue.ts';
import { WorkflowTasks } from './workflow-tasks.ts';

export type Status =
  'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'CONTINUED_AS_NEW' | 'TIMED_OUT';

/** What a run begins with; a run that follows it inherits it. */
export interface Beginning {
  run: RunInfo;
  /** Of the request that started it. */
  requestId: string;
  input: readonly Payload[];
  headers: Record<string, Payload>;
  retryPolicy: RetryPolicy | undefined;
  /** Milliseconds; 0: none. */
  executionTimeoutMs: number;
  /** Until the first task, milliseconds. */
  delayMs: number;
  searchAttributes: Record<string, Payload>;
  memo: Record<string, Payload>;
  /** Of the first signal, if it is started by one. */
  signal: Job | undefined;
  /** Of the run before, of a schedule. */
  lastResult?: Payload | undefined;
}

export interface ExecutionWorld {
  simulation: Simulation;
  /** See `History`. */
  historyWeight: number;
  serverTimers: ServerTimers;
  workflowQueue(name: string): TaskQueue<WorkflowTask>;
  activityQueue(name: string): TaskQueue<ActivityTask>;
  nextTaskId(): number;
  /** Of a command that ends the run; the run is closed already. */
  onClosed(execution: Execution, command: Command | undefined): void;
  onTaskFailed(execution: Execution, failure: WorkflowTaskFailure): void;
}

export interface PendingUpdate {
  resolve(outcome: { success: Payload } | { failure: Failure }): void;
  reject(error: Error): void;
}

export class Execution {
  readonly beginning: Beginning;
  readonly history: History;
  readonly activations: Activation[] = [];
  /** Those of a run that is over are still listed. */
  readonly activities = new Map<number, PendingActivity>();
  readonly timers = new Map<number, Timer>();
  readonly updates = new Map<string, PendingUpdate>();
  readonly searchAttributes: Record<string, Payload>;
  readonly memo: Record<string, Payload>;
  status: Status = 'RUNNING';
  closedAt: number | undefined;
  /** A worker that has it finds other commands than it has. */
  cannotBeReplayed = false;
  /** Of its end. */
  result: Payload | undefined;
  failure: Failure | undefined;
  readonly #world: ExecutionWorld;
  readonly #requestIds = new Set<string>();
  readonly #tasks: WorkflowTasks;
  #cancelRequested = false;
  #deadline: Timer | undefined;

  constructor(world: ExecutionWorld, beginning: Beginning) {
    this.#world = world;
    this.history = new History(world.historyWeight);
    this.beginning = beginning;
    this.searchAttributes = { ...beginning.searchAttributes };
    this.memo = { ...beginning.memo };
    this.#requestIds.add(beginning.requestId);
    const { history, activations } = this;
    const { run, input, signal, executionTimeoutMs, delayMs } = beginning;
    const { simulation, serverTimers, nextTaskId } = world;
    this.#tasks = new WorkflowTasks({
      simulation,
      serverTimers,
      run,
      history,
      activations,
      queue: () => world.workflowQueue(run.taskQueue),
      nextTaskId,
      isOpen: () => this.isOpen,
      cannotBeReplayed: () => this.cannotBeReplayed,
    });
    history.add('WORKFLOW_EXECUTION_STARTED', input);
    this.#tasks.hear({ initializeWorkflow: initializationOf(beginning) });
    if (signal) this.#tasks.tell({ event: 'WORKFLOW_EXECUTION_SIGNALED', job: signal });
    if (executionTimeoutMs > 0) {
      this.#deadline = serverTimers.after(executionTimeoutMs, () => this.end('TIMED_OUT'));
    }
    this.#tasks.begin(delayMs);
  }

  get run(): RunInfo {
    return this.beginning.run;
  }

  get isOpen(): boolean {
    return this.status === 'RUNNING';
  }

  get hasPendingTask(): boolean {
    return this.#tasks.isPending;
  }

  /** Whether a request with this id was carried out. */
  hasSeen(requestId: string): boolean {
    return requestId !== '' && this.#requestIds.has(requestId);
  }

  /** A request that comes again says nothing new. */
  signal(signal: Job, requestId: string): void {
    if (this.hasSeen(requestId)) return;
    this.#requestIds.add(requestId);
    this.tell('WORKFLOW_EXECUTION_SIGNALED', signal);
  }

  tell(event: string, job?: Job): void {
    if (this.isOpen) this.#tasks.tell({ event, ...(job && { job }) });
  }

  /** A second request says nothing new. */
  requestCancel(reason: string): void {
    if (this.#cancelRequested) return;
    this.#cancelRequested = true;
    this.tell('WORKFLOW_EXECUTION_CANCEL_REQUESTED', { cancelWorkflow: { reason } });
  }

  query(name: string, args: readonly Payload[]): Promise<QueryAnswer> {
    return this.#tasks.query(name, args);
  }

  completeTask(id: number, completion: WorkflowTaskCompletion, carryOut: () => void): void {
    this.#tasks.complete(id, completion, carryOut);
  }

  failTask(id: number, failure: WorkflowTaskFailure): void {
    this.#tasks.fail(id);
    this.#world.onTaskFailed(this, failure);
  }

  /** From outside, while a task may be with a worker. */
  end(status: 'TERMINATED' | 'TIMED_OUT'): void {
    if (!this.isOpen) return;
    this.#tasks.abandon();
    this.history.add(`WORKFLOW_EXECUTION_${status}`);
    this.close(status);
  }

  startActivity(seq: number, spec: ActivitySpec): void {
    const { simulation, serverTimers, nextTaskId, activityQueue } = this.#world;
    this.history.add('ACTIVITY_TASK_SCHEDULED', spec.args);
    const queue = activityQueue(spec.taskQueue);
    const world = { simulation, serverTimers, queue, run: this.run, nextTaskId };
    const activity = new PendingActivity(
      {
        ...world,
        onEnd: ({ event, result, wasStarted }) => {
          this.activities.delete(seq);
          if (wasStarted) this.tell('ACTIVITY_TASK_STARTED');
          this.tell(event, { resolveActivity: { seq, result } });
        },
      },
      spec,
    );
    this.activities.set(seq, activity);
  }

  startTimer(seq: number, milliseconds: number): void {
    this.history.add('TIMER_STARTED');
    const timer = this.#world.serverTimers.after(milliseconds, () => {
      this.timers.delete(seq);
      this.tell('TIMER_FIRED', { fireTimer: { seq } });
    });
    this.timers.set(seq, timer);
  }

  /** One that fired in this task has not fired. */
  cancelTimer(seq: number): void {
    this.timers.get(seq)?.cancel();
    this.timers.delete(seq);
    this.#tasks.takeBack(({ fireTimer }) => fireTimer?.seq === seq);
    this.history.add('TIMER_CANCELED');
  }

  /** Whoever works on it hears NOT_FOUND from now on. */
  close(status: Status, command?: Command): void {
    if (!this.isOpen) return;
    this.status = status;
    this.closedAt = this.#world.simulation.now;
    this.#deadline?.cancel();
    for (const timer of this.timers.values()) timer.cancel();
    for (const activity of this.activities.values()) activity.drop();
    this.timers.clear();
    const gone = new GrpcError('NOT_FOUND', 'workflow execution already completed');
    for (const { reject } of this.updates.values()) reject(gone);
    this.updates.clear();
    this.#tasks.close();
    this.#world.onClosed(this, command);
  }
}

function initializationOf({ run, input, headers, memo, searchAttributes, lastResult }: Beginning) {
  const { workflowType, workflowId, firstRunId, attempt, startedAt } = run;
  return {
    workflowType,
    workflowId,
    arguments: [...input],
    headers,
    firstExecutionRunId: firstRunId,
    continuedFromExecutionRunId: run.continuedFromRunId,
    attempt,
    startTime: partsOf(startedAt),
    memo: { fields: memo },
    searchAttributes: { indexedFields: searchAttributes },
    ...(lastResult && { lastCompletionResult: { payloads: [lastResult] } }),
  };
}
