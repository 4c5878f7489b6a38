/** One run on a simulated server, and a worker by hand, which asks for a task at a time. */
import { defaultPayloadConverter } from '@temporalio/common';
import { SimulatedProcess } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import type { ActivityTask, TaskCommand, WorkflowTask } from './messages.ts';
import { SimulatedTemporal } from './server.ts';

export const secondMs = 1_000;
export const workflowId = 'machine/a/b';
export const taskQueue = 'a';
export const options = { taskQueue, workflowId };

export class Case {
  readonly simulation = new Simulation(1);
  readonly temporal = new SimulatedTemporal(this.simulation, {
    namespace: 'default',
    fateOf: () => ({ requestMs: 1, answerMs: 1 }),
  });
  readonly #process = new SimulatedProcess(this.simulation, { name: 'user' });
  readonly client = this.temporal.clientFor(this.#process, 'user');
  readonly #line = this.temporal.lineFor(this.#process, 'worker');

  get run() {
    return this.temporal.engine.find(workflowId);
  }

  async pass(milliseconds: number): Promise<void> {
    await this.simulation.run(this.simulation.now + milliseconds);
  }

  /** What is answered within two seconds. */
  async settled<T>(answer: Promise<T>): Promise<T | Error> {
    const caught = orError(answer);
    await this.pass(2 * secondMs);
    return caught;
  }

  async start(): Promise<void> {
    expect(await this.settled(this.client.workflow.start('machine', options))).not.toBeInstanceOf(
      Error,
    );
  }

  signal(name: string): Promise<unknown> {
    return this.settled(this.client.workflow.getHandle(workflowId).signal(name));
  }

  async task(): Promise<WorkflowTask> {
    return taken(await this.settled(this.#line.pollWorkflowTask(taskQueue)));
  }

  async activity(): Promise<ActivityTask> {
    return taken(await this.settled(this.#line.pollActivityTask(taskQueue)));
  }

  complete(task: WorkflowTask, commands: readonly TaskCommand[] = []): Promise<unknown> {
    const { jobs, timestamp, historyLength, historySize, continueAsNewSuggested } = task;
    const position = { timestamp, historyLength, historySize, continueAsNewSuggested };
    const activations = [{ jobs, ...position, commands, flags: [] }];
    const completion = { activations, commands, queryAnswers: [], mustContinue: false };
    return this.settled(this.#line.completeWorkflowTask(task, completion));
  }

  /** As a worker does that cannot replay the run. */
  refuseQueries(task: WorkflowTask): Promise<unknown> {
    const failure = { message: 'the history has other commands' };
    const queryAnswers = task.queries.map(({ id }) => ({ id, succeeded: false, failure }) as const);
    const completion = { activations: [], commands: [], queryAnswers, mustContinue: false };
    return this.settled(this.#line.completeWorkflowTask(task, completion));
  }

  finish(task: ActivityTask): Promise<unknown> {
    const completed = defaultPayloadConverter.toPayload('done');
    return this.settled(this.#line.completeActivity(task, { completed }));
  }

  fail(task: ActivityTask): Promise<unknown> {
    const failed = { message: 'the activity failed' };
    return this.settled(this.#line.completeActivity(task, { failed }));
  }
}

/** An error is an answer too. */
export function orError<T>(answer: Promise<T>): Promise<T | Error> {
  return answer.catch((error: unknown) => {
    if (error instanceof Error) return error;
    throw error;
  });
}

function taken<T>(task: T | Error | undefined): T {
  if (task instanceof Error || task === undefined) throw new Error('there is no task');
  return task;
}
