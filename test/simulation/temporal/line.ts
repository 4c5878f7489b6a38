/** A worker's line to the server; what it says may be lost on the way. */
import { ConnectionBroken, journey } from '../engine/journey.ts';
import type { Fate } from '../engine/journey.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { ExecutionEngine } from './engine.ts';
import { GrpcError, isGone } from './grpc-errors.ts';
import type { ActivityOutcome, WorkerLine } from './messages.ts';
import { identityOf } from './workers.ts';

export interface LineOptions {
  simulation: Simulation;
  process: SimulatedProcess;
  engine: ExecutionEngine;
  /** Of this worker, as the server knows it; another one for each. */
  worker: string;
  fateOf(call: { process: SimulatedProcess; method: string }): Fate;
  isUp(): boolean;
  /** False: what the server sends gets lost. */
  isReachable(): boolean;
}

/** Core asks again, with a longer and longer wait. */
const attemptsMax = 6;
const firstRetryMs = 100;
const pollPauseMs = 1_000;

export function createLine(options: LineOptions): WorkerLine {
  const { process, engine, worker } = options;
  const line = new Line(options);
  // Nobody answers a connection that a dead process left open for long.
  process.onEnd(() => engine.leave(worker, { wasKilled: true }));
  return {
    pollWorkflowTask: (queue) => line.poll(() => engine.workflowQueue(queue).poll(worker)),
    pollActivityTask: (queue) => line.poll(() => engine.activityQueue(queue).poll(worker)),
    completeWorkflowTask: (task, completion) =>
      line.call('RespondWorkflowTaskCompleted', () =>
        engine.completeTask(task, completion, identityOf(worker)),
      ),
    failWorkflowTask: (task, failure) =>
      line.call('RespondWorkflowTaskFailed', () => engine.failTask(task, failure)),
    completeActivity: (task, outcome, details) =>
      line.call(methodOf(outcome), () =>
        engine.activityOf(task).finish(task.id, { outcome, details }),
      ),
    heartbeat: (task, details) =>
      line.call('RecordActivityTaskHeartbeat', () => {
        try {
          return engine.activityOf(task).heartbeat(task.id, details);
        } catch (error) {
          if (!isGone(error)) throw error;
          return { cancelRequested: false, isReset: false, isGone: true };
        }
      }),
    close: () => engine.leave(worker, { wasKilled: false }),
  };
}

/** Of gRPC. */
function methodOf(outcome: ActivityOutcome): string {
  if ('completed' in outcome) return 'RespondActivityTaskCompleted';
  return 'failed' in outcome ? 'RespondActivityTaskFailed' : 'RespondActivityTaskCanceled';
}

class Line {
  readonly #options: LineOptions;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** A poll waits at the server; only its way takes time. */
  async poll<T>(ask: () => Promise<T>): Promise<T> {
    const { simulation, process, isUp, isReachable } = this.#options;
    for (;;) {
      if (isUp() && isReachable()) {
        const task = await process.receive(ask());
        if (task === undefined || isReachable()) return task;
      }
      await process.receive(simulation.sleep(pollPauseMs));
    }
  }

  async call<T>(method: string, effect: () => T): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(method, effect);
      } catch (error) {
        const isTransient =
          error instanceof ConnectionBroken ||
          (error instanceof GrpcError && error.is('UNAVAILABLE'));
        if (!isTransient) throw error;
        if (attempt === attemptsMax) throw new GrpcError('UNAVAILABLE', error.message);
        await this.#pause(firstRetryMs * 2 ** (attempt - 1));
      }
    }
  }

  #attempt<T>(method: string, effect: () => T): Promise<T> {
    const { simulation, process, fateOf, isUp } = this.#options;
    // Core gives up a call without an answer, so that none of them is silent for ever.
    const fate = { ...fateOf({ process, method }), isSilent: false };
    return journey(simulation, {
      process,
      fate,
      effect: () => {
        if (!isUp()) throw new GrpcError('UNAVAILABLE', 'No connection established');
        return effect();
      },
    });
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.process.after(milliseconds, resolve);
    });
  }
}
