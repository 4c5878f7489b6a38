/** All runs of one Temporal namespace, by the rules of the server. */
import type { Simulation } from '../engine/simulation.ts';
import type { Chance } from '../engine/chance.ts';
import { applyCommands } from './commands.ts';
import { Execution } from './execution.ts';
import type { Beginning, ExecutionWorld, Reset, Status } from './execution.ts';
import { GrpcError } from './grpc-errors.ts';
import type {
  ActivityTask,
  Command,
  Job,
  Payload,
  RetryPolicy,
  WorkflowTask,
  WorkflowTaskCompletion,
  WorkflowTaskFailure,
} from './messages.ts';
import type { PendingActivity } from './pending-activity.ts';
import { retryOf } from './retries.ts';
import { ServerTimers } from './server-timers.ts';
import { TaskQueue } from './task-queue.ts';

export interface StartRequest {
  /** A request that is sent again has the same one. */
  requestId: string;
  namespace: string;
  workflowId: string;
  workflowType: string;
  taskQueue: string;
  input: readonly Payload[];
  headers: Record<string, Payload>;
  taskTimeoutMs: number;
  executionTimeoutMs: number;
  retryPolicy: RetryPolicy | undefined;
  searchAttributes: Record<string, Payload>;
  memo: Record<string, Payload>;
  /** A run that is open is as good as a new one; otherwise it is refused. */
  usesExisting?: boolean;
  /** Refused where there was a run before. */
  rejectsDuplicate?: boolean;
  /** Of the run before, of a schedule. */
  lastResult?: Payload | undefined;
}

export interface EngineOptions {
  onTaskFailed(execution: Execution, failure: WorkflowTaskFailure): void;
  onHistoryTooLong(execution: Execution): void;
  /** See `History`; default 1. */
  historyWeight?: number | undefined;
}

/** For how long a closed run is remembered. A real server does for a day at least. */
const retentionMs = 3_600_000;
/** The server ends a run that is longer. */
const longestHistory = 51_200;

export class ExecutionEngine {
  readonly #simulation: Simulation;
  readonly #chance: Chance;
  readonly #options: EngineOptions;
  readonly #workflowQueues = new Map<string, TaskQueue<WorkflowTask>>();
  readonly #activityQueues = new Map<string, TaskQueue<ActivityTask>>();
  readonly #newest = new Map<string, Execution>();
  readonly #byRun = new Map<string, Execution>();
  readonly #world: ExecutionWorld;
  readonly #listeners: ((closed: Execution) => void)[] = [];
  #taskCount = 0;

  constructor(simulation: Simulation, options: EngineOptions) {
    this.#simulation = simulation;
    this.#chance = simulation.chance.fork();
    this.#options = options;
    this.#world = {
      simulation,
      historyWeight: options.historyWeight ?? 1,
      serverTimers: new ServerTimers(simulation),
      workflowQueue: (name) => this.workflowQueue(name),
      activityQueue: (name) => this.activityQueue(name),
      nextTaskId: () => (this.#taskCount += 1),
      onClosed: (execution, command) => this.#closed(execution, command),
      onTaskFailed: options.onTaskFailed,
    };
  }

  workflowQueue(name: string): TaskQueue<WorkflowTask> {
    return found(this.#workflowQueues, name, () => new TaskQueue(this.#simulation));
  }

  activityQueue(name: string): TaskQueue<ActivityTask> {
    return found(this.#activityQueues, name, () => new TaskQueue(this.#simulation));
  }

  /** A worker that is gone takes nothing more. */
  leave(worker: string, how: { wasKilled: boolean }): void {
    for (const queue of this.#workflowQueues.values()) queue.leave(worker, how);
    for (const queue of this.#activityQueues.values()) queue.leave(worker, how);
  }

  /** A run ended. */
  listen(listener: (closed: Execution) => void): void {
    this.#listeners.push(listener);
  }

  executions(): Iterable<Execution> {
    return this.#byRun.values();
  }

  /** The run that is open, or the one that ended last. */
  find(workflowId: string, runId = ''): Execution {
    const execution = runId === '' ? this.#newest.get(workflowId) : this.#byRun.get(runId);
    if (execution?.run.workflowId === workflowId) return execution;
    throw new GrpcError('NOT_FOUND', `workflow not found for ID: ${workflowId}`);
  }

  findOpen(workflowId: string, runId = ''): Execution {
    const execution = this.find(workflowId, runId);
    if (execution.isOpen) return execution;
    throw new GrpcError('NOT_FOUND', 'workflow execution already completed');
  }

  /** Where one is open, ALREADY_EXISTS or that one. */
  start(request: StartRequest): Execution {
    const present = this.#newest.get(request.workflowId);
    if (present?.hasSeen(request.requestId)) return present;
    if (present?.isOpen && request.usesExisting) return present;
    const isRefused = present && (present.isOpen || request.rejectsDuplicate);
    if (!isRefused) return this.#begin(this.#beginningOf(request));
    const text = present.isOpen ? 'is already running' : 'already finished';
    throw new GrpcError('ALREADY_EXISTS', `Workflow execution ${text}.`);
  }

  /** Starts a run where none is open. */
  signalWithStart(request: StartRequest, signal: Job): Execution {
    const present = this.#newest.get(request.workflowId);
    if (!present?.isOpen && !present?.hasSeen(request.requestId)) {
      return this.#begin({ ...this.#beginningOf(request), signal });
    }
    present.signal(signal, request.requestId);
    return present;
  }

  /** Returns the run that goes on. NOT_FOUND, or INVALID_ARGUMENT for a wrong event. */
  reset(workflowId: string, reset: Reset): Execution {
    const execution = this.findOpen(workflowId);
    const [runId, randomnessSeed] = [this.#chance.uuid(), this.#chance.below(2 ** 31)];
    return this.#known(execution.reset(reset, { runId, randomnessSeed }));
  }

  completeTask(task: WorkflowTask, completion: WorkflowTaskCompletion, identity: string): void {
    const execution = this.find(task.run.workflowId, task.run.runId);
    execution.completeTask(task.id, completion, () =>
      applyCommands(execution, completion.commands, identity),
    );
    if (execution.history.weighed > longestHistory && execution.isOpen) {
      this.#options.onHistoryTooLong(execution);
      execution.end('TERMINATED');
    }
  }

  failTask(task: WorkflowTask, failure: WorkflowTaskFailure): void {
    this.find(task.run.workflowId, task.run.runId).failTask(task.id, failure);
  }

  /** The activity whose attempt this is; NOT_FOUND when it is over. */
  activityOf({ id, run, activityId }: ActivityTask): PendingActivity {
    const execution = this.#byRun.get(run.runId);
    for (const activity of execution?.activities.values() ?? []) {
      if (activity.isTask(id)) return activity;
    }
    throw new GrpcError('NOT_FOUND', `no attempt of activity ${activityId} runs`);
  }

  /** Nothing is known of any run any more. Workers that work on one hear NOT_FOUND. */
  lose(): void {
    for (const execution of Array.from(this.#byRun.values())) execution.close('TERMINATED');
    this.#newest.clear();
    this.#byRun.clear();
  }

  /**
   * Takes a backup of the database; the function that it returns restores it, once. Runs that began
   * since are gone, all others are as they were. Who has an attempt that began since hears
   * NOT_FOUND.
   */
  backup(): () => void {
    const runs = Array.from(this.#byRun.values(), (execution) => this.#kept(execution));
    const newest = new Set(Array.from(this.#newest.values(), ({ run }) => run.runId));
    return () => {
      for (const execution of this.#byRun.values()) execution.forget();
      this.#newest.clear();
      this.#byRun.clear();
      for (const again of runs) {
        const execution = again();
        const { workflowId, runId } = execution.run;
        this.#byRun.set(runId, execution);
        if (newest.has(runId)) this.#newest.set(workflowId, execution);
      }
    };
  }

  /** The same run as the server knows it now, after a restore. */
  current(execution: Execution): Execution {
    return this.#byRun.get(execution.run.runId) ?? execution;
  }

  /** What makes it again as it is now. Nothing changes in one that is closed. */
  #kept(execution: Execution): () => Execution {
    if (!execution.isOpen) {
      return () => {
        this.#retain(execution);
        return execution;
      };
    }
    const saved = execution.save();
    return () => Execution.resume(this.#world, saved);
  }

  #begin(beginning: Beginning): Execution {
    return this.#known(Execution.begin(this.#world, beginning));
  }

  #known(execution: Execution): Execution {
    const { workflowId, runId } = execution.run;
    this.#newest.set(workflowId, execution);
    this.#byRun.set(runId, execution);
    return execution;
  }

  #beginningOf(request: StartRequest): Beginning {
    const { namespace, workflowId, workflowType, taskQueue, taskTimeoutMs, ...rest } = request;
    const target = { namespace, workflowId, workflowType, taskQueue, taskTimeoutMs };
    const runId = this.#chance.uuid();
    const { now } = this.#simulation;
    return {
      run: {
        ...target,
        runId,
        firstRunId: runId,
        continuedFromRunId: '',
        attempt: 1,
        startedAt: now,
        runStartedAt: now,
        randomnessSeed: this.#chance.below(2 ** 31),
      },
      ...rest,
      delayMs: 0,
      signal: undefined,
    };
  }

  #closed(execution: Execution, command: Command | undefined): void {
    this.#retain(execution);
    for (const listener of this.#listeners) listener(execution);
    const next = command && this.#following(execution, command);
    if (next) this.#begin(next);
  }

  #retain(execution: Execution): void {
    const { workflowId, runId } = execution.run;
    const { now } = this.#simulation;
    const passedMs = now - (execution.closedAt ?? now);
    this.#simulation.after(retentionMs - passedMs, () => {
      if (this.#byRun.get(runId) === execution) this.#byRun.delete(runId);
      if (this.#newest.get(workflowId) === execution) this.#newest.delete(workflowId);
    });
  }

  #following(execution: Execution, command: Command): Beginning | undefined {
    const { beginning } = execution;
    const inherited = { ...beginning, signal: undefined, delayMs: 0 };
    const { continueAsNewWorkflowExecution: anew, failWorkflowExecution: failed } = command;
    if (anew)
      return { ...inherited, run: this.#nextRun(beginning, 1), ...carriedOver(execution, anew) };
    if (!failed || !beginning.retryPolicy) return undefined;
    const { attempt } = beginning.run;
    const failure = failed.failure ?? {};
    const decision = retryOf(beginning.retryPolicy, { failure, attempt, leftMs: undefined });
    if ('retryState' in decision) return undefined;
    const run = this.#nextRun(beginning, attempt + 1);
    return { ...inherited, run, delayMs: decision.delayMs };
  }

  #nextRun({ run }: Beginning, attempt: number) {
    const runId = this.#chance.uuid();
    const continuedFromRunId = run.runId;
    const randomnessSeed = this.#chance.below(2 ** 31);
    const runStartedAt = this.#simulation.now;
    return { ...run, runId, continuedFromRunId, attempt, randomnessSeed, runStartedAt };
  }
}

/** What a run changed of its memo is lost, unlike its search attributes. */
function carriedOver(
  { beginning, searchAttributes: current }: Execution,
  anew: NonNullable<Command['continueAsNewWorkflowExecution']>,
): Pick<Beginning, 'input' | 'memo' | 'searchAttributes'> {
  const memo = anew.memo ?? {};
  return {
    input: anew.arguments ?? [],
    memo: Object.keys(memo).length > 0 ? memo : beginning.memo,
    searchAttributes: anew.searchAttributes?.indexedFields ?? current,
  };
}

function found<T>(map: Map<string, T>, name: string, make: () => T): T {
  const present = map.get(name);
  if (present) return present;
  const made = make();
  map.set(name, made);
  return made;
}

export type { Status };
