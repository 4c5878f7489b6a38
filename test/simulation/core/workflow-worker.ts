/** Polls for workflow tasks, and runs them in the sandbox, with a cache of runs. */
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { GrpcError } from '../temporal/grpc-errors.ts';
import { isClosing } from '../temporal/closing.ts';
import type {
  Activation,
  Command,
  Job,
  QueryAnswer,
  WorkerLine,
  WorkflowTask,
} from '../temporal/messages.ts';
import { LocalActivities } from './local-activities.ts';
import type { LocalActivity, LocalParts } from './local-activities.ts';
import { Nondeterminism, TaskFailure } from './run.ts';
import type { CachedRun, Position } from './run.ts';
import type { RunPool } from './run-pool.ts';
import type { Sandbox } from './sandbox.ts';
import { Outgoing } from './outgoing.ts';
import { Slots } from './slots.ts';

export interface WorkflowWorkerParts {
  simulation: Simulation;
  process: SimulatedProcess;
  line: WorkerLine;
  sandbox: Sandbox;
  runs: RunPool;
  taskQueue: string;
  tasksMax: number;
  cachedMax: number;
  local: LocalParts;
  /** Share of tasks before which a run leaves the cache. */
  evictions: number;
  /** Share of runs that left a cache, of a killed worker as well, that are not replayed. */
  reused: number;
}

interface Entry {
  run: CachedRun;
  local: LocalActivities;
  outgoing: Outgoing;
}

/** On one task. */
interface Work {
  entry: Entry;
  task: WorkflowTask;
  done: Activation[];
  begunAt: number;
  isOver: boolean;
}

/** Of the task's time limit, after which a task with local activities goes on in another one. */
const heartbeatShare = 0.8;
const pollers = 5;

export class WorkflowWorker {
  readonly #parts: WorkflowWorkerParts;
  readonly #slots: Slots;
  readonly #cache = new Map<string, Entry>();
  readonly #turns = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(parts: WorkflowWorkerParts) {
    this.#parts = parts;
    this.#slots = new Slots(parts.tasksMax);
    parts.process.onEnd(() => {
      for (const { run } of this.#cache.values()) parts.runs.leave(run);
    });
  }

  /** Ends after `stop`, when its tasks are done. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: pollers }, () => this.#poll()));
  }

  stop(): void {
    this.#isStopping = true;
  }

  async #poll(): Promise<void> {
    const { line, taskQueue } = this.#parts;
    const tasks = new Set<Promise<void>>();
    while (!this.#isStopping) {
      await this.#slots.take();
      const task = await line.pollWorkflowTask(taskQueue);
      if (!task) {
        this.#slots.free();
        break;
      }
      const handled = this.#inTurn(task).finally(() => {
        this.#slots.free();
        tasks.delete(handled);
      });
      tasks.add(handled);
    }
    await Promise.all(tasks);
  }

  /** One task of a run at a time: the server may hand out the next one before this one is over. */
  async #inTurn(task: WorkflowTask): Promise<void> {
    const { runId } = task.run;
    const before = this.#turns.get(runId);
    const handle = (): Promise<void> => this.#handleAny(task);
    const turn = (before ?? Promise.resolve()).then(handle);
    this.#turns.set(runId, turn);
    await turn;
    if (this.#turns.get(runId) === turn) this.#turns.delete(runId);
  }

  async #handle(task: WorkflowTask): Promise<void> {
    const { process, line, evictions } = this.#parts;
    const { runId } = task.run;
    try {
      if (process.chance.happens(evictions)) this.#leave(runId);
      const entry = await this.#entryFor(task);
      const closes = await this.#work(entry, task);
      if (closes) await this.#evict(runId);
    } catch (error) {
      await this.#evict(runId);
      if (error instanceof GrpcError) return;
      const isOurs = error instanceof Nondeterminism || error instanceof TaskFailure;
      if (!isOurs) throw error;
      // Core says so once, and lets the next attempts time out.
      if (task.attempt > 1) return;
      const kind = error instanceof Nondeterminism ? 'nondeterminism' : 'error';
      await line.failWorkflowTask(task, { kind, message: error.message }).catch(() => undefined);
    }
  }

  async #handleAny(task: WorkflowTask): Promise<void> {
    const isLost = task.cannotBeReplayed && !task.isOver;
    await (isLost ? this.#failRun(task) : this.#handle(task));
  }

  async #failRun(task: WorkflowTask): Promise<void> {
    await this.#evict(task.run.runId);
    const failure = {
      message: '[TMPRL1100] the history has other commands',
      source: 'TypeScriptSDK',
      applicationFailureInfo: { type: 'NondeterminismError', nonRetryable: false },
    };
    const commands = [{ failWorkflowExecution: { failure } }];
    const queryAnswers = task.queries.map(({ id }) => ({ id, succeeded: false, failure }) as const);
    const completion = { activations: [], commands, queryAnswers, mustContinue: false };
    try {
      await this.#parts.line.completeWorkflowTask(task, completion);
    } catch (error) {
      // The server has it again, with what came meanwhile.
      if (!(error instanceof GrpcError)) throw error;
    }
  }

  /** From the cache, or made again from the history. */
  async #entryFor(task: WorkflowTask): Promise<Entry> {
    const { local, cachedMax } = this.#parts;
    const { run, history } = task;
    const cached = this.#cache.get(run.runId);
    if (cached?.run.isAt(history)) {
      this.#cache.delete(run.runId);
      this.#cache.set(run.runId, cached);
      return cached;
    }
    if (cached) await this.#evict(run.runId);
    const made = this.#left(task) ?? (await this.#replayed(task));
    const entry = { run: made, local: new LocalActivities(local, run), outgoing: new Outgoing() };
    for (const activation of history) entry.outgoing.recall(activation);
    const open = task.isOver ? [] : openLocalActivities(history);
    for (const command of open) entry.local.schedule(command);
    this.#cache.set(run.runId, entry);
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined && this.#cache.size > cachedMax) await this.#evict(oldest);
    return entry;
  }

  #left({ run, history }: WorkflowTask): CachedRun | undefined {
    const { process, runs, reused } = this.#parts;
    return process.chance.happens(reused) ? runs.take(run.runId, history) : undefined;
  }

  #replayed({ run, history, timestamp }: WorkflowTask): Promise<CachedRun> {
    const { simulation, runs, sandbox } = this.#parts;
    return simulation.whileTimeStands(async () => {
      const made = await runs.create(sandbox, run, history[0]?.timestamp ?? timestamp);
      await made.replay(history);
      return made;
    });
  }

  /** Whether the run is over. */
  async #work(entry: Entry, task: WorkflowTask): Promise<boolean> {
    const { local, outgoing } = entry;
    const work: Work = { entry, task, done: [], begunAt: this.#now, isOver: false };
    const jobs = outgoing.wanted(task.jobs);
    if (jobs.length > 0) await this.#feed(work, jobs);
    // Who asks does not wait for local activities.
    const mustContinue = task.queries.length > 0 ? local.areOpen : await this.#untilDone(work);
    if (work.isOver) local.cancelAll();
    const queryAnswers = await this.#answers(entry, task);
    const commands = outgoing.take();
    const completion = { activations: work.done, commands, queryAnswers, mustContinue };
    await this.#parts.line.completeWorkflowTask(task, completion);
    return work.isOver;
  }

  /** Of its local activities. Whether they go on in another task. */
  async #untilDone(work: Work): Promise<boolean> {
    const { local, outgoing } = work.entry;
    while (local.areOpen && !work.isOver) {
      const limitMs = work.task.timeoutMs * heartbeatShare;
      const ended = await local.next(limitMs - (this.#now - work.begunAt));
      if (ended.length === 0 && local.areOpen) return true;
      for (let count = 0; count < ended.length; count += 1) outgoing.marker();
      if (ended.length > 0) await this.#feed(work, ended);
    }
    return false;
  }

  async #feed(work: Work, jobs: readonly Job[]): Promise<void> {
    const { local, outgoing } = work.entry;
    const timestamp = Math.floor(work.task.timestamp + this.#now - work.begunAt);
    const position = { ...positionOf(work.task), timestamp };
    const activation = await this.#activate(work.entry, jobs, position);
    work.done.push(activation);
    local.add(activation.commands);
    outgoing.add(activation.commands.filter((command) => !isLocal(command)));
    work.isOver = activation.commands.some(isClosing);
    const answers = outgoing.answers();
    if (answers.length > 0 && !work.isOver) await this.#feed(work, outgoing.wanted(answers));
  }

  get #now(): number {
    return this.#parts.process.system.monotonic();
  }

  #activate({ run }: Entry, jobs: readonly Job[], position: Position): Promise<Activation> {
    const { simulation, process } = this.#parts;
    // Its runs may be with another worker.
    if (!process.isAlive) return new Promise(() => undefined);
    return simulation.whileTimeStands(() => run.activate(jobs, position));
  }

  async #answers({ run }: Entry, task: WorkflowTask): Promise<QueryAnswer[]> {
    const answers: QueryAnswer[] = [];
    for (const query of task.queries) {
      const answer = this.#parts.simulation.whileTimeStands(() =>
        run.query(query, positionOf(task)),
      );
      answers.push(await answer);
    }
    return answers;
  }

  /** It may come back as it is, or be replayed. */
  #leave(runId: string): void {
    const run = this.#dropped(runId);
    if (run) this.#parts.runs.leave(run);
  }

  async #evict(runId: string): Promise<void> {
    const run = this.#dropped(runId);
    if (run) await this.#parts.simulation.whileTimeStands(() => this.#parts.runs.dispose(run));
  }

  #dropped(runId: string): CachedRun | undefined {
    const entry = this.#cache.get(runId);
    this.#cache.delete(runId);
    entry?.local.drop();
    return entry?.run;
  }
}

/** Those that a replay finds no end of run again. */
function openLocalActivities(history: readonly Activation[]): LocalActivity[] {
  const open = new Map<number, LocalActivity>();
  for (const { jobs, commands } of history) {
    for (const { resolveActivity } of jobs) {
      if (resolveActivity?.isLocal) open.delete(resolveActivity.seq ?? 0);
    }
    for (const { scheduleLocalActivity } of commands) {
      if (scheduleLocalActivity) open.set(scheduleLocalActivity.seq ?? 0, scheduleLocalActivity);
    }
  }
  return [...open.values()];
}

function positionOf(task: WorkflowTask): Position {
  const { timestamp, historyLength, historySize, continueAsNewSuggested } = task;
  return { timestamp, historyLength, historySize, continueAsNewSuggested };
}

function isLocal({ scheduleLocalActivity, requestCancelLocalActivity }: Command): boolean {
  return Boolean(scheduleLocalActivity ?? requestCancelLocalActivity);
}
