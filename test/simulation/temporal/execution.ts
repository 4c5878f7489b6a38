/** One run of a workflow, as the server has it. */
import type { Simulation } from '../engine/simulation.ts';
import Long from 'long';
import { partsOf } from './durations.ts';
import { GrpcError } from './grpc-errors.ts';
import { History } from './history.ts';
import type { News } from './job-order.ts';
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
import type { ActivityEnd, ActivitySpec, SavedActivity } from './pending-activity.ts';
import { PendingActivity } from './pending-activity.ts';
import { pointAt, saidSince } from './reset-points.ts';
import type { ResetPoint, RunState } from './reset-points.ts';
import type { ServerTimer, ServerTimers } from './server-timers.ts';
import type { TaskQueue } from './task-queue.ts';
import { Updates } from './updates.ts';
import type { SavedUpdates } from './updates.ts';
import { WorkflowTasks } from './workflow-tasks.ts';
import type { SavedTasks } from './workflow-tasks.ts';

type DoUpdate = NonNullable<Job['doUpdate']>;

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

interface Content {
  beginning: Beginning;
  history: History;
  activations: readonly Activation[];
  points: readonly ResetPoint[];
  searchAttributes: Record<string, Payload>;
  memo: Record<string, Payload>;
  cannotBeReplayed: boolean;
  requestIds: readonly string[];
  updates: SavedUpdates;
  cancelRequested: boolean;
}

/** As an operator asks for it. */
export interface Reset {
  /** See `pointAt`. */
  eventId: number;
  /** What came since is brought to the next run. */
  isReapplied: boolean;
}

/** Of the run that goes on after a reset. */
interface NextRun {
  runId: string;
  randomnessSeed: number;
}

/** A run that is open, as the server writes it down at one moment. */
export interface SavedExecution extends Content {
  activities: readonly (readonly [number, SavedActivity])[];
  /** When each fires. */
  timers: readonly (readonly [number, number])[];
  tasks: SavedTasks;
  deadlineAt: number | undefined;
}

export class Execution {
  readonly beginning: Beginning;
  readonly history: History;
  readonly activations: Activation[];
  readonly points: ResetPoint[];
  /** Those of a run that is over are still listed. */
  readonly activities = new Map<number, PendingActivity>();
  readonly timers = new Map<number, ServerTimer>();
  readonly updates: Updates;
  readonly searchAttributes: Record<string, Payload>;
  readonly memo: Record<string, Payload>;
  status: Status = 'RUNNING';
  closedAt: number | undefined;
  /** A worker that has it finds other commands than it has. */
  cannotBeReplayed: boolean;
  /** Of its end. */
  result: Payload | undefined;
  failure: Failure | undefined;
  readonly #world: ExecutionWorld;
  readonly #requestIds: Set<string>;
  readonly #tasks: WorkflowTasks;
  #cancelRequested: boolean;
  #deadline: ServerTimer | undefined;

  private constructor(world: ExecutionWorld, content: Content) {
    this.#world = world;
    this.beginning = content.beginning;
    this.history = content.history.copy();
    this.activations = [...content.activations];
    this.points = [...content.points];
    this.searchAttributes = { ...content.searchAttributes };
    this.memo = { ...content.memo };
    this.cannotBeReplayed = content.cannotBeReplayed;
    this.updates = new Updates(content.updates);
    this.#requestIds = new Set(content.requestIds);
    this.#cancelRequested = content.cancelRequested;
    this.#tasks = this.#createTasks();
  }

  static begin(world: ExecutionWorld, beginning: Beginning): Execution {
    const { searchAttributes, memo, requestId } = beginning;
    const execution = new Execution(world, {
      beginning,
      history: new History(world.historyWeight),
      activations: [],
      points: [],
      searchAttributes,
      memo,
      cannotBeReplayed: false,
      requestIds: [requestId],
      updates: { accepted: [], outcomes: [] },
      cancelRequested: false,
    });
    execution.#begin();
    return execution;
  }

  static resume(world: ExecutionWorld, saved: SavedExecution): Execution {
    const execution = new Execution(world, saved);
    execution.#resume(saved);
    return execution;
  }

  /** It ends, and another run goes on from one of its tasks. */
  reset({ eventId, isReapplied }: Reset, { runId, randomnessSeed }: NextRun): Execution {
    const point = pointAt(this, eventId);
    const since = isReapplied ? saidSince(this, point) : [];
    const requests = isReapplied ? this.#requestIds.size : point.requests;
    this.end('TERMINATED');
    const next = new Execution(this.#world, {
      ...point,
      beginning: { ...this.beginning, run: { ...this.run, runId } },
      history: this.history.upTo(point.length, point.size),
      activations: this.activations.slice(0, point.activations),
      points: this.points.slice(0, this.points.indexOf(point)),
      cannotBeReplayed: false,
      requestIds: [...this.#requestIds].slice(0, requests),
    });
    const updateRandomSeed = { randomnessSeed: Long.fromNumber(randomnessSeed, true) };
    const failure = { event: 'WORKFLOW_TASK_FAILED', job: { updateRandomSeed } };
    next.#beginAgain(point, [failure, ...since]);
    return next;
  }

  /** Its activities begin anew, and its timers fire when they would have. */
  #beginAgain({ activities, timers, news }: ResetPoint, since: readonly News[]): void {
    for (const [seq, at] of timers) this.#resumeTimer(seq, at);
    for (const [seq, { spec, progress }] of activities) {
      this.#openActivity(seq, spec);
      if (progress.cancelRequested) this.activities.get(seq)?.askToEnd();
    }
    for (const { job } of since) this.#know(job);
    const { executionTimeoutMs } = this.beginning;
    if (executionTimeoutMs > 0) this.#expireAt(this.run.startedAt + executionTimeoutMs);
    this.#tasks.beginAgain(news, since);
  }

  #know({ doUpdate, cancelWorkflow }: Job = {}): void {
    if (doUpdate) this.updates.admit(doUpdate.protocolInstanceId ?? '');
    if (cancelWorkflow) this.#cancelRequested = true;
  }

  #createTasks(): WorkflowTasks {
    const { history, activations, points, run } = this;
    const { simulation, serverTimers, nextTaskId, workflowQueue } = this.#world;
    return new WorkflowTasks({
      simulation,
      serverTimers,
      run,
      history,
      activations,
      points,
      state: () => this.#state(),
      queue: () => workflowQueue(run.taskQueue),
      nextTaskId,
      isOpen: () => this.isOpen,
      cannotBeReplayed: () => this.cannotBeReplayed,
    });
  }

  #begin(): void {
    const { input, signal, executionTimeoutMs, delayMs } = this.beginning;
    this.history.add('WORKFLOW_EXECUTION_STARTED', input);
    this.#tasks.hear({ initializeWorkflow: initializationOf(this.beginning) });
    if (signal) this.#tasks.tell({ event: 'WORKFLOW_EXECUTION_SIGNALED', job: signal });
    if (executionTimeoutMs > 0) {
      this.#deadline = this.#world.serverTimers.after(executionTimeoutMs, () => this.#expire());
    }
    this.#tasks.begin(delayMs);
  }

  #expire(): void {
    this.end('TIMED_OUT');
  }

  #expireAt(at: number): void {
    this.#deadline = this.#world.serverTimers.at(at, () => this.#expire());
  }

  /** What was due in the meantime comes now. */
  #resume({ deadlineAt, timers, activities, tasks }: SavedExecution): void {
    if (deadlineAt !== undefined) this.#expireAt(deadlineAt);
    for (const [seq, at] of timers) this.#resumeTimer(seq, at);
    for (const [seq, saved] of activities) this.#openActivity(seq, saved.spec, saved);
    this.#tasks.resume(tasks);
  }

  save(): SavedExecution {
    const { beginning, history, activations, points, cannotBeReplayed } = this;
    return {
      ...this.#state(),
      beginning,
      history: history.copy(),
      activations: [...activations],
      points: [...points],
      cannotBeReplayed,
      requestIds: [...this.#requestIds],
      tasks: this.#tasks.save(),
      deadlineAt: this.#deadline?.at,
    };
  }

  #state(): RunState {
    return {
      activities: [...this.activities].map(([seq, activity]) => [seq, activity.save()]),
      timers: [...this.timers].map(([seq, { at }]) => [seq, at]),
      searchAttributes: { ...this.searchAttributes },
      memo: { ...this.memo },
      updates: this.updates.save(),
      cancelRequested: this.#cancelRequested,
      requests: this.#requestIds.size,
    };
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

  get undelivered(): News[] {
    return this.#tasks.undelivered;
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

  /** One that comes again is the same one. */
  update(id: string, job: Omit<DoUpdate, 'id' | 'protocolInstanceId'>): void {
    if (this.updates.outcomeOf(id)) return;
    this.updates.admit(id);
    this.#tasks.ask({ doUpdate: { ...job, id, protocolInstanceId: id, runValidator: true } });
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
    this.history.add('ACTIVITY_TASK_SCHEDULED', spec.args);
    this.#openActivity(seq, spec);
  }

  #openActivity(seq: number, spec: ActivitySpec, saved?: SavedActivity): void {
    const { simulation, serverTimers, nextTaskId, activityQueue } = this.#world;
    const queue = activityQueue(spec.taskQueue);
    const onEnd = ({ event, result, wasStarted }: ActivityEnd): void => {
      this.activities.delete(seq);
      if (wasStarted) this.tell('ACTIVITY_TASK_STARTED');
      this.tell(event, { resolveActivity: { seq, result } });
    };
    const world = { simulation, serverTimers, queue, run: this.run, nextTaskId, onEnd };
    this.activities.set(seq, new PendingActivity(world, spec, saved));
  }

  startTimer(seq: number, milliseconds: number): void {
    this.history.add('TIMER_STARTED');
    this.timers.set(
      seq,
      this.#world.serverTimers.after(milliseconds, () => this.#fire(seq)),
    );
  }

  #resumeTimer(seq: number, at: number): void {
    this.timers.set(
      seq,
      this.#world.serverTimers.at(at, () => this.#fire(seq)),
    );
  }

  #fire(seq: number): void {
    this.timers.delete(seq);
    this.tell('TIMER_FIRED', { fireTimer: { seq } });
  }

  /** One that fired in this task has not fired. */
  cancelTimer(seq: number): void {
    this.timers.get(seq)?.cancel();
    this.timers.delete(seq);
    this.#tasks.takeBack(({ fireTimer }) => fireTimer?.seq === seq);
    this.history.add('TIMER_CANCELED');
  }

  /** Its workers hear NOT_FOUND from now on. */
  close(status: Status, command?: Command): void {
    if (!this.isOpen) return;
    this.#stop(status);
    this.updates.close(closedError(status));
    this.#tasks.close();
    this.#world.onClosed(this, command);
  }

  /** The server forgets it: another one may begin where an older state of it ended. */
  forget(): void {
    if (!this.isOpen) return;
    const gone = new GrpcError('UNAVAILABLE', 'the server has stopped');
    this.#stop('TERMINATED');
    this.updates.forget(gone);
    this.#tasks.forget(gone);
  }

  #stop(status: Status): void {
    this.status = status;
    this.closedAt = this.#world.simulation.now;
    this.#deadline?.cancel();
    for (const timer of this.timers.values()) timer.cancel();
    for (const activity of this.activities.values()) activity.drop();
    this.timers.clear();
  }
}

/** Where another run follows, callers are to try again with that one. */
function closedError(status: Status): GrpcError {
  if (status === 'CONTINUED_AS_NEW') return new GrpcError('UNAVAILABLE', 'workflow is closing');
  return new GrpcError('NOT_FOUND', 'workflow execution already completed');
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
