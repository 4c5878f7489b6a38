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
  Query,
  QueryAnswer,
  RetryPolicy,
  RunInfo,
  WorkflowTask,
  WorkflowTaskCompletion,
  WorkflowTaskFailure,
} from './messages.ts';
import type { ActivitySpec } from './pending-activity.ts';
import { PendingActivity } from './pending-activity.ts';
import type { TaskQueue } from './task-queue.ts';

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
  workflowQueue(name: string): TaskQueue<WorkflowTask>;
  activityQueue(name: string): TaskQueue<ActivityTask>;
  nextTaskId(): number;
  /** Of a command that ends the run; the run is closed already. */
  onClosed(execution: Execution, command: Command | undefined): void;
  onTaskFailed(execution: Execution, failure: WorkflowTaskFailure): void;
}

interface Attempt {
  id: number;
  worker: string;
  jobs: readonly Job[];
  queries: readonly PendingQuery[];
  startedAt: number;
  timer: Timer;
}

interface PendingQuery extends Query {
  answer(answer: QueryAnswer): void;
  reject(error: Error): void;
}

export interface PendingUpdate {
  resolve(outcome: { success: Payload } | { failure: Failure }): void;
  reject(error: Error): void;
}

/** From which attempt on the server waits before it hands out a task again. */
const backoffFrom = 3;
const firstBackoffMs = 5_000;
const longestBackoffMs = 300_000;

export class Execution {
  readonly beginning: Beginning;
  readonly history = new History();
  readonly activations: Activation[] = [];
  readonly activities = new Map<number, PendingActivity>();
  readonly timers = new Map<number, Timer>();
  readonly updates = new Map<string, PendingUpdate>();
  readonly searchAttributes: Record<string, Payload>;
  readonly memo: Record<string, Payload>;
  status: Status = 'RUNNING';
  closedAt: number | undefined;
  /** Of its end. */
  result: Payload | undefined;
  readonly #world: ExecutionWorld;
  readonly #requestIds = new Set<string>();
  #news: Job[] = [];
  #queries: PendingQuery[] = [];
  #queryCount = 0;
  #task: Attempt | undefined;
  #isQueued = false;
  #taskAttempt = 1;
  #sticky: string | undefined;
  #deadline: Timer | undefined;

  constructor(world: ExecutionWorld, beginning: Beginning) {
    this.#world = world;
    this.beginning = beginning;
    this.searchAttributes = { ...beginning.searchAttributes };
    this.memo = { ...beginning.memo };
    this.#requestIds.add(beginning.requestId);
    this.#news.push({ initializeWorkflow: initializationOf(beginning) });
    this.history.add('WORKFLOW_EXECUTION_STARTED', beginning.input);
    if (beginning.signal) this.#hear('WORKFLOW_EXECUTION_SIGNALED', beginning.signal);
    const { executionTimeoutMs, delayMs } = beginning;
    if (executionTimeoutMs > 0) {
      this.#deadline = world.simulation.after(executionTimeoutMs, () => {
        this.history.add('WORKFLOW_EXECUTION_TIMED_OUT');
        this.close('TIMED_OUT');
      });
    }
    if (delayMs > 0) world.simulation.after(delayMs, () => this.#offer());
    else this.#offer();
  }

  get run(): RunInfo {
    return this.beginning.run;
  }

  get isOpen(): boolean {
    return this.status === 'RUNNING';
  }

  /** Jobs that no task has taken yet. */
  get hasNews(): boolean {
    return this.#news.length > 0 || this.#task !== undefined;
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

  tell(event: string, job: Job): void {
    if (!this.isOpen) return;
    this.#hear(event, job);
    if (this.activations.length > 0) this.#offer();
  }

  query(name: string, args: readonly Payload[]): Promise<QueryAnswer> {
    this.#queryCount += 1;
    const id = `query-${this.#queryCount}`;
    return new Promise((answer, reject) => {
      this.#queries.push({ id, name, args, answer, reject });
      if (this.activations.length > 0) this.#offer();
    });
  }

  /** `carryOut`: what the completion's commands ask for, once it is accepted. */
  completeTask(id: number, completion: WorkflowTaskCompletion, carryOut: () => void): void {
    const task = this.#taken(id);
    const closing = completion.commands.find(isClosing);
    if (closing && this.#news.length > 0) {
      this.history.add('WORKFLOW_TASK_FAILED');
      this.#giveBack(task);
      throw new GrpcError('INVALID_ARGUMENT', 'UnhandledCommand');
    }
    this.#end(task);
    this.#sticky = task.worker;
    this.#taskAttempt = 1;
    if (completion.activations.length > 0) this.#record(completion);
    carryOut();
    for (const answer of completion.queryAnswers) {
      task.queries.find((query) => query.id === answer.id)?.answer(answer);
    }
    if (this.#news.length > 0 || this.#queries.length > 0 || completion.mustContinue) this.#offer();
  }

  failTask(id: number, failure: WorkflowTaskFailure): void {
    const task = this.#taken(id);
    this.history.add('WORKFLOW_TASK_FAILED');
    this.#world.onTaskFailed(this, failure);
    this.#giveBack(task);
  }

  startActivity(seq: number, spec: ActivitySpec): void {
    const { simulation, nextTaskId, activityQueue } = this.#world;
    this.history.add('ACTIVITY_TASK_SCHEDULED', spec.args);
    const queue = activityQueue(spec.taskQueue);
    const world = { simulation, queue, run: this.run, nextTaskId };
    const activity = new PendingActivity(
      {
        ...world,
        onEnd: (event, result) => {
          this.activities.delete(seq);
          if (event !== 'ACTIVITY_TASK_CANCELED') this.history.add('ACTIVITY_TASK_STARTED');
          this.tell(event, { resolveActivity: { seq, result } });
        },
      },
      spec,
    );
    this.activities.set(seq, activity);
  }

  startTimer(seq: number, milliseconds: number): void {
    this.history.add('TIMER_STARTED');
    const timer = this.#world.simulation.after(milliseconds, () => {
      this.timers.delete(seq);
      this.tell('TIMER_FIRED', { fireTimer: { seq } });
    });
    this.timers.set(seq, timer);
  }

  /** Whoever works on it hears NOT_FOUND from now on. */
  close(status: Status, command?: Command): void {
    if (!this.isOpen) return;
    this.status = status;
    this.closedAt = this.#world.simulation.now;
    this.#deadline?.cancel();
    this.#task?.timer.cancel();
    for (const timer of this.timers.values()) timer.cancel();
    for (const activity of this.activities.values()) activity.drop();
    this.timers.clear();
    this.activities.clear();
    const gone = new GrpcError('NOT_FOUND', 'workflow execution already completed');
    for (const { reject } of this.updates.values()) reject(gone);
    for (const { reject } of this.#queries) reject(gone);
    this.updates.clear();
    this.#world.onClosed(this, command);
  }

  #hear(event: string, job: Job): void {
    this.history.add(event, payloadsOf(job));
    this.#news.push(job);
  }

  #offer(): void {
    if (!this.isOpen || this.#isQueued || this.#task) return;
    this.#isQueued = true;
    const queue = this.#world.workflowQueue(this.run.taskQueue);
    queue.add({ only: this.#sticky, take: (worker) => this.#start(worker) });
  }

  #start(worker: string): WorkflowTask | undefined {
    this.#isQueued = false;
    if (!this.isOpen || this.#task) return undefined;
    const { simulation, nextTaskId } = this.#world;
    const { run, history } = this;
    const id = nextTaskId();
    const timer = simulation.after(run.taskTimeoutMs, () => this.#timeOut(id));
    const [jobs, queries] = [this.#news, this.#queries];
    this.#news = [];
    this.#queries = [];
    this.#task = { id, worker, jobs, queries, startedAt: simulation.now, timer };
    if (jobs.length > 0) history.add('WORKFLOW_TASK_SCHEDULED');
    return {
      id,
      run,
      history: this.activations,
      jobs,
      queries,
      timestamp: simulation.now,
      historyLength: history.length,
      historySize: history.size,
      continueAsNewSuggested: history.isLong,
      attempt: this.#taskAttempt,
      timeoutMs: run.taskTimeoutMs,
    };
  }

  #taken(id: number): Attempt {
    if (!this.isOpen || this.#task?.id !== id) {
      throw new GrpcError('NOT_FOUND', 'Workflow task not found.');
    }
    return this.#task;
  }

  #end(task: Attempt): void {
    task.timer.cancel();
    this.#task = undefined;
  }

  /** The worker is dead, or too slow: another one gets the same again. */
  #timeOut(id: number): void {
    if (this.#task?.id !== id) return;
    this.history.add('WORKFLOW_TASK_TIMED_OUT');
    this.#giveBack(this.#task);
  }

  #giveBack(task: Attempt): void {
    this.#end(task);
    this.#sticky = undefined;
    this.#news = [...task.jobs, ...this.#news];
    this.#queries = [...task.queries, ...this.#queries];
    this.#taskAttempt += 1;
    const over = this.#taskAttempt - backoffFrom;
    if (over < 0) return this.#offer();
    const delayMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** over);
    this.#world.simulation.after(delayMs, () => this.#offer());
  }

  #record({ activations, markers }: WorkflowTaskCompletion): void {
    this.history.add('WORKFLOW_TASK_STARTED');
    this.history.add('WORKFLOW_TASK_COMPLETED');
    this.activations.push(...activations);
    for (let count = 0; count < markers; count += 1) this.history.add('MARKER_RECORDED');
  }
}

export function isClosing(command: Command): boolean {
  return Boolean(
    command.completeWorkflowExecution ??
    command.failWorkflowExecution ??
    command.cancelWorkflowExecution ??
    command.continueAsNewWorkflowExecution,
  );
}

function payloadsOf({ signalWorkflow, doUpdate, resolveActivity }: Job): readonly Payload[] {
  const result = resolveActivity?.result?.completed?.result;
  return signalWorkflow?.input ?? doUpdate?.input ?? (result ? [result] : []);
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
