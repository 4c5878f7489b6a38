/** The workflow tasks of one run: when one is due, who gets it, and what the history says of it. */
import type { Simulation } from '../engine/simulation.ts';
import { isClosing } from './closing.ts';
import { GrpcError } from './grpc-errors.ts';
import type { EventFacts, History } from './history.ts';
import { nameOf, payloadsOf, sortedAsBuffer, sortedForActivation } from './job-order.ts';
import type { News } from './job-order.ts';
import type {
  Activation,
  Job,
  Payload,
  Query,
  QueryAnswer,
  RunInfo,
  WorkflowTask,
  WorkflowTaskCompletion,
} from './messages.ts';
import { isInHistory } from './reset-points.ts';
import type { ResetPoint, RunState } from './reset-points.ts';
import type { ServerTimer, ServerTimers } from './server-timers.ts';
import type { TaskQueue } from './task-queue.ts';

export interface TasksWorld {
  simulation: Simulation;
  serverTimers: ServerTimers;
  run: RunInfo;
  history: History;
  activations: Activation[];
  points: ResetPoint[];
  /** As the run is at this moment. */
  state(): RunState;
  queue(): TaskQueue<WorkflowTask>;
  nextTaskId(): number;
  isOpen(): boolean;
  cannotBeReplayed(): boolean;
}

interface PendingQuery extends Query {
  answer(answer: QueryAnswer): void;
  reject(error: Error): void;
}

/** The task that waits for a worker or is with one. */
interface Pending {
  /** 0 until a worker has it. */
  id: number;
  worker: string;
  /** Its first events are written; those of a task that failed before are written at its end. */
  isWritten: boolean;
  /** Of the history, when it was scheduled. */
  length: number;
  news: readonly News[];
  /** Of the run, when a worker took it. */
  state: RunState | undefined;
  queries: readonly PendingQuery[];
  timer: ServerTimer | undefined;
}

/** Of one run at one moment. Queries and who waits for them are in the server's memory alone. */
export interface SavedTasks {
  /** Of the first one that is still to come. */
  beginsAt: number | undefined;
  news: readonly News[];
  buffer: readonly News[];
  pending: (Omit<Pending, 'queries' | 'timer'> & { dueAt: number | undefined }) | undefined;
  attempt: number;
  sticky: string | undefined;
}

/** From this attempt on the server gives a task more and more time. */
const moreTimeAfter = 3;
const firstMoreMs = 5_000;
const longestMoreMs = 600_000;

function neverStarted(): GrpcError {
  const text = 'Workflow execution closed before WorkflowTaskStarted event';
  return new GrpcError('FAILED_PRECONDITION', text);
}

export class WorkflowTasks {
  readonly #world: TasksWorld;
  #hasBegun = false;
  #beginning: ServerTimer | undefined;
  #news: News[] = [];
  /** What came while a worker had the task. */
  #buffer: News[] = [];
  /** Updates that no task has brought to a worker; they are in no history before that. */
  #updates: Job[] = [];
  #queries: PendingQuery[] = [];
  #queryCount = 0;
  readonly #direct = new Map<number, PendingQuery>();
  #pending: Pending | undefined;
  /** More than 1: the one before failed, and nothing has happened since. */
  #attempt = 1;
  #sticky: string | undefined;

  constructor(world: TasksWorld) {
    this.#world = world;
  }

  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** What no task that was completed has brought. */
  get undelivered(): News[] {
    return [...(this.#pending?.news ?? []), ...this.#news, ...this.#buffer];
  }

  /** The first task comes after this time; what happens until then is in it. */
  begin(delayMs: number): void {
    const begin = (): void => {
      this.#hasBegun = true;
      this.#schedule();
    };
    if (delayMs > 0) this.#beginning = this.#world.serverTimers.after(delayMs, begin);
    else begin();
  }

  save(): SavedTasks {
    // A task for updates alone is in the server's memory, as they are.
    const isSaved = this.#pending?.isWritten || this.#attempt > 1;
    return {
      beginsAt: this.#hasBegun ? undefined : this.#beginning?.at,
      news: this.#news.filter(isInHistory),
      buffer: [...this.#buffer],
      pending: this.#pending && isSaved ? savedOf(this.#pending) : undefined,
      attempt: this.#attempt,
      sticky: this.#sticky,
    };
  }

  /** Goes on from there. A worker that still has the task may answer it. */
  resume({ beginsAt, news, buffer, pending, attempt, sticky }: SavedTasks): void {
    this.#news = [...news];
    this.#buffer = [...buffer];
    this.#attempt = attempt;
    this.#sticky = sticky;
    if (beginsAt !== undefined) return this.begin(beginsAt - this.#world.simulation.now);
    this.#hasBegun = true;
    if (pending) this.#goOn(pending);
  }

  /** Where a task of another run stood: it has failed, and what came since comes with the next. */
  beginAgain(news: readonly News[], since: readonly News[]): void {
    this.#news = news.filter(isInHistory);
    this.#hasBegun = true;
    for (const one of since) this.#write(one);
    this.#schedule();
  }

  #goOn({ dueAt, ...saved }: NonNullable<SavedTasks['pending']>): void {
    const pending: Pending = { ...saved, queries: [], timer: undefined };
    this.#pending = pending;
    if (dueAt === undefined) return this.#offer(pending);
    pending.timer = this.#world.serverTimers.at(dueAt, () => this.#timeOut(pending));
  }

  /** What is told with an event that is written already. */
  hear(job: Job): void {
    this.#news.push({ event: '', job });
  }

  tell(news: News): void {
    if (this.#isStarted) {
      this.#buffer.push(news);
      return;
    }
    this.#write(news);
    if (news.job && this.#hasBegun && !this.#pending) this.#schedule();
  }

  /** An update needs a task, of which nothing is written if the worker refuses it. */
  ask(update: Job): void {
    this.#updates.push(update);
    if (this.#hasBegun && !this.#pending) this.#open(false);
  }

  /** What came while a worker has the task is not written yet. */
  takeBack(isUnwanted: (job: Job) => boolean): void {
    this.#buffer = this.#buffer.filter(({ job }) => !job || !isUnwanted(job));
  }

  query(name: string, args: readonly Payload[]): Promise<QueryAnswer> {
    this.#queryCount += 1;
    const id = `query-${this.#queryCount}`;
    return new Promise((answer, reject) => {
      this.#ask({ id, name, args, answer, reject });
    });
  }

  /** `carryOut`: what the completion's commands ask for, once it is accepted. */
  complete(id: number, completion: WorkflowTaskCompletion, carryOut: () => void): void {
    const direct = this.#direct.get(id);
    if (direct) return this.#answer([direct], completion);
    const task = this.#taken(id);
    if (completion.commands.some(isClosing) && this.#buffer.length > 0) {
      this.#failed('WORKFLOW_TASK_FAILED');
      throw new GrpcError('INVALID_ARGUMENT', 'UnhandledCommand');
    }
    this.#pending = undefined;
    task.timer?.cancel();
    this.#sticky = task.worker;
    this.#attempt = 1;
    if (!isForNothing(task, completion)) this.#writeEnd(task);
    this.#world.activations.push(...completion.activations);
    carryOut();
    this.#answer(task.queries, completion);
    if (this.#world.isOpen()) this.#follow(completion);
  }

  /** By another task, if there is something to do. */
  #follow(completion: WorkflowTaskCompletion): void {
    if (this.#buffer.length > 0 || completion.mustContinue) return this.#schedule();
    if (this.#updates.length > 0) return this.#open(false);
    for (const query of this.#queries.splice(0)) this.#offerQuery(query);
  }

  fail(id: number): void {
    this.#taken(id);
    this.#failed('WORKFLOW_TASK_FAILED');
  }

  /** The run ends from outside: before that is written. */
  abandon(): void {
    if (this.#isStarted && this.#attempt === 1) this.#world.history.add('WORKFLOW_TASK_FAILED');
    for (const news of sortedAsBuffer(this.#buffer.splice(0))) this.#write(news);
  }

  /** The server forgets the run, and who waits for an answer. */
  forget(gone: Error): void {
    this.#beginning?.cancel();
    this.#pending?.timer?.cancel();
    const asked = [...(this.#pending?.queries ?? []), ...this.#queries, ...this.#direct.values()];
    this.#pending = undefined;
    this.#queries = [];
    this.#direct.clear();
    for (const query of asked) query.reject(gone);
  }

  /** The run is over. Queries are answered all the same, by a replay. */
  close(): void {
    const queries = [...(this.#pending?.queries ?? []), ...this.#queries];
    this.#pending?.timer?.cancel();
    this.#pending = undefined;
    this.#queries = [];
    for (const query of queries) this.#ask(query);
  }

  get #isStarted(): boolean {
    return this.#pending !== undefined && this.#pending.id > 0;
  }

  #write(news: News): void {
    const { history, simulation } = this.#world;
    history.add(news.event, payloadsOf(news.job), factsOf(news, simulation.now));
    this.#news.push(news);
  }

  #writeStart(): void {
    this.#world.history.add('WORKFLOW_TASK_SCHEDULED');
    this.#world.history.add('WORKFLOW_TASK_STARTED');
  }

  #writeEnd({ isWritten, news, state }: Pending): void {
    const { history, points, activations } = this.#world;
    if (!isWritten) this.#writeStart();
    const { length, size } = history;
    if (state) points.push({ ...state, length, size, activations: activations.length, news });
    history.add('WORKFLOW_TASK_COMPLETED');
  }

  /** One that waits for a task is answered with it; otherwise no task is needed. */
  #ask(query: PendingQuery): void {
    const hasTask = this.#pending !== undefined || !this.#hasBegun;
    if (this.#world.isOpen() && hasTask) this.#queries.push(query);
    else if (this.#world.activations.length === 0) query.reject(neverStarted());
    else this.#offerQuery(query);
  }

  #offerQuery(query: PendingQuery): void {
    const { nextTaskId, run, simulation } = this.#world;
    const id = nextTaskId();
    this.#direct.set(id, query);
    this.#world.queue().add({
      only: this.#sticky,
      onOpen: () => undefined,
      take: () => {
        if (!this.#direct.has(id)) return undefined;
        // Nobody says when a worker that has it dies.
        simulation.after(run.taskTimeoutMs, () => {
          if (this.#direct.delete(id)) this.#ask(query);
        });
        return this.#taskOf(id, [], [query]);
      },
    });
  }

  #answer(queries: readonly PendingQuery[], { queryAnswers }: WorkflowTaskCompletion): void {
    for (const answer of queryAnswers) {
      queries.find((query) => query.id === answer.id)?.answer(answer);
    }
    for (const [id, query] of this.#direct) {
      if (queries.includes(query)) this.#direct.delete(id);
    }
  }

  /** What was buffered makes it a task like any other. */
  #schedule(): void {
    if (this.#buffer.length > 0) {
      this.#attempt = 1;
      for (const news of sortedAsBuffer(this.#buffer.splice(0))) this.#write(news);
    }
    this.#open(this.#attempt === 1);
  }

  #open(isWritten: boolean): void {
    const { history } = this.#world;
    if (isWritten) history.add('WORKFLOW_TASK_SCHEDULED');
    this.#pending = {
      id: 0,
      worker: '',
      isWritten,
      length: history.length,
      news: [],
      state: undefined,
      queries: [],
      timer: undefined,
    };
    this.#offer(this.#pending);
  }

  #offer(pending: Pending): void {
    this.#world.queue().add({
      only: this.#sticky,
      onOpen: () => this.#leaveSticky(pending),
      take: (worker) => this.#start(pending, worker),
    });
  }

  /** The worker that has the workflow in its cache did not take it in time. */
  #leaveSticky(pending: Pending): void {
    if (this.#pending !== pending || pending.id > 0) return;
    this.#sticky = undefined;
    if (!pending.isWritten) this.#world.history.add('WORKFLOW_TASK_SCHEDULED');
    this.#world.history.add('WORKFLOW_TASK_TIMED_OUT');
    this.#attempt = 1;
    this.#pending = undefined;
    this.#schedule();
  }

  #start(pending: Pending, worker: string): WorkflowTask | undefined {
    const { history, serverTimers, nextTaskId, isOpen } = this.#world;
    if (!isOpen() || this.#pending !== pending || pending.id > 0) return undefined;
    if (!pending.isWritten && history.length !== pending.length) {
      this.#attempt = 1;
      history.add('WORKFLOW_TASK_SCHEDULED');
      pending.isWritten = true;
    }
    if (pending.isWritten) history.add('WORKFLOW_TASK_STARTED');
    pending.id = nextTaskId();
    pending.worker = worker;
    pending.state = this.#world.state();
    pending.news = [...this.#news, ...this.#updates.splice(0).map((job) => ({ event: '', job }))];
    pending.queries = this.#queries;
    pending.timer = serverTimers.after(this.#timeoutMs, () => this.#timeOut(pending));
    this.#news = [];
    this.#queries = [];
    return this.#taskOf(pending.id, pending.news, pending.queries);
  }

  get #timeoutMs(): number {
    const { taskTimeoutMs } = this.#world.run;
    const over = this.#attempt - moreTimeAfter;
    if (over <= 0) return taskTimeoutMs;
    return taskTimeoutMs + Math.min(longestMoreMs, firstMoreMs * 2 ** (over - 1));
  }

  #taskOf(id: number, news: readonly News[], queries: readonly PendingQuery[]): WorkflowTask {
    const { run, simulation, activations, history, isOpen, cannotBeReplayed } = this.#world;
    return {
      cannotBeReplayed: cannotBeReplayed(),
      id,
      run,
      history: activations,
      isOver: !isOpen(),
      jobs: sortedForActivation(news),
      queries,
      timestamp: simulation.now,
      // Its first two events come later where an attempt before it failed.
      historyLength: history.weighed + (this.#pending && !this.#pending.isWritten ? 2 : 0),
      historySize: history.size,
      continueAsNewSuggested: history.isLong,
      attempt: this.#attempt,
      timeoutMs: this.#timeoutMs,
    };
  }

  #taken(id: number): Pending {
    if (this.#pending?.id === id) return this.#pending;
    throw new GrpcError('NOT_FOUND', 'Workflow task not found.');
  }

  /** The worker is dead, or too slow: another one gets the same again. */
  #timeOut(pending: Pending): void {
    if (this.#pending === pending) this.#failed('WORKFLOW_TASK_TIMED_OUT');
  }

  /** One that was with the worker that has the workflow is tried elsewhere, as a first attempt. */
  #failed(event: string): void {
    const task = this.#pending;
    if (!task) return;
    task.timer?.cancel();
    this.#pending = undefined;
    if (this.#attempt === 1) {
      if (!task.isWritten) this.#writeStart();
      this.#world.history.add(event);
    }
    this.#attempt = this.#sticky === undefined ? this.#attempt + 1 : 1;
    this.#sticky = undefined;
    this.#news = [...task.news, ...this.#news];
    this.#queries = [...task.queries, ...this.#queries];
    this.#schedule();
  }
}

function savedOf({ queries: _queries, timer, news, ...saved }: Pending): SavedTasks['pending'] {
  return { ...saved, news: news.filter(isInHistory), dueAt: timer?.at };
}

function factsOf({ job }: News, at: number): EventFacts | undefined {
  const [name, isReset] = [nameOf(job), Boolean(job?.updateRandomSeed)];
  return name !== undefined || isReset ? { at, name, isReset } : undefined;
}

/** It brought updates alone, and all of them were refused: the history says nothing of it. */
function isForNothing(
  { isWritten, news }: Pending,
  { commands, mustContinue }: WorkflowTaskCompletion,
): boolean {
  const asked = new Set(news.flatMap(({ job }) => job?.doUpdate?.protocolInstanceId ?? []));
  if (isWritten || mustContinue || asked.size === 0) return false;
  return commands.every(
    ({ updateResponse: answer }) => answer?.rejected && asked.has(answer.protocolInstanceId ?? ''),
  );
}
