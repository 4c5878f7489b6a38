/** Plays scripts on a real Temporal server, with the SDK's own workers. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { temporal } from '@temporalio/proto';
import { nowMs, sleep } from '../../../../activities/system/system.ts';
import type { AttemptNote } from './activities.ts';
import { describeFailure } from './describe-failure.ts';
import type { Observation } from './observation.ts';
import { play } from './play.ts';
import { endsWorkers } from './script.ts';
import type { Script } from './script.ts';
import type { FoundRun, Stage } from './stage.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const { EventType } = proto.temporal.api.enums.v1;
type Crew = Pick<Stage, 'killWorker' | 'stopWorker' | 'startWorker'>;

const workerFile = fileURLToPath(new URL('server-worker.ts', import.meta.url));

export class Server {
  readonly #address: string;
  readonly #codePath: string;
  readonly #connection: Connection;
  readonly #client: Client;
  readonly #prefix = `differential-${process.pid}-${nowMs()}`;
  readonly #notes: AttemptNote[] = [];
  #shared: WorkerProcess | undefined;
  #count = 0;

  constructor(address: string, codePath: string) {
    this.#address = address;
    this.#codePath = codePath;
    this.#connection = Connection.lazy({ address });
    this.#client = new Client({ connection: this.#connection });
  }

  /** The scripts that kill no worker share one. */
  async start(): Promise<void> {
    this.#shared = this.#workerFor(this.#prefix);
    await this.#shared.ready;
  }

  async stop(): Promise<void> {
    await this.#shared?.end('SIGKILL');
    await this.#connection.close();
  }

  async play(script: Script): Promise<Observation> {
    this.#count += 1;
    const workflowId = `${this.#prefix}-${this.#count}`;
    const isAlone = endsWorkers(script);
    const taskQueue = isAlone ? workflowId : this.#prefix;
    let worker = isAlone ? this.#workerFor(taskQueue) : undefined;
    await worker?.ready;
    const crew = {
      killWorker: async () => await worker?.end('SIGKILL'),
      stopWorker: async () => await worker?.end('SIGTERM'),
      startWorker: async () => {
        worker = this.#workerFor(taskQueue);
        await worker.ready;
      },
    };
    try {
      return await play(this.#stageOf(workflowId, taskQueue, crew), script);
    } finally {
      await worker?.end('SIGKILL');
    }
  }

  #workerFor(taskQueue: string): WorkerProcess {
    return new WorkerProcess([this.#address, taskQueue, this.#codePath], this.#notes);
  }

  #stageOf(workflowId: string, taskQueue: string, crew: Crew): Stage {
    const all = this.#notes;
    const historyOf = async (runId: string): Promise<HistoryEvent[]> => {
      const handle = this.#client.workflow.getHandle(workflowId, runId);
      return (await handle.fetchHistory()).events ?? [];
    };
    return {
      ...crew,
      client: this.#client,
      workflowId,
      taskQueue,
      get notes() {
        return all.filter((note) => note.workflowId === workflowId);
      },
      sleep: (milliseconds) => sleep(milliseconds),
      now: nowMs,
      eventTypes: async (runId) => (await historyOf(runId)).map(typeOf),
      runs: async (first) => {
        const found: FoundRun[] = [];
        for (const begun of first) {
          for (let runId: string | undefined = begun; runId;) {
            const events = await historyOf(runId);
            found.push(runOf(runId, events));
            runId = successorOf(events.at(-1));
          }
        }
        return found;
      },
    };
  }
}

/** A process, because nothing else ends as a process that is killed does. */
class WorkerProcess {
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;

  constructor(args: readonly string[], notes: AttemptNote[]) {
    this.#child = fork(workerFile, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.ready = new Promise((resolve, reject) => {
      this.#child.once('exit', () => reject(new Error('the worker ended')));
      this.#child.on('message', (message) => {
        if (message === 'ready') resolve();
        else if (isNote(message)) notes.push(message);
      });
    });
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exit;
  }
}

function isNote(message: unknown): message is AttemptNote {
  return typeof message === 'object' && message !== null && 'workflowId' in message;
}

function typeOf({ eventType }: HistoryEvent): string {
  return (EventType[eventType ?? 0] ?? '').replace('EVENT_TYPE_', '');
}

function runOf(runId: string, events: HistoryEvent[]): FoundRun {
  const types = events.map(typeOf);
  const status = (types.at(-1) ?? '').replace('WORKFLOW_EXECUTION_', '');
  return { runId, status, events: types, end: endOf(events.at(-1)) };
}

function endOf(event: HistoryEvent | undefined): string[] {
  const failure = event?.workflowExecutionFailedEventAttributes?.failure;
  if (failure) {
    const error = defaultFailureConverter.failureToError(failure, defaultPayloadConverter);
    return [describeFailure(error)];
  }
  const [result] = event?.workflowExecutionCompletedEventAttributes?.result?.payloads ?? [];
  return result ? defaultPayloadConverter.fromPayload(result) : [];
}

function successorOf(event: HistoryEvent | undefined): string | undefined {
  return (
    event?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ??
    event?.workflowExecutionFailedEventAttributes?.newExecutionRunId ??
    event?.workflowExecutionTimedOutEventAttributes?.newExecutionRunId ??
    undefined
  );
}
