/** Plays scripts on the simulated Temporal, with the simulated core. */
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { failingErrors } from '../../../../workers/temporal/bundle-workflows.ts';
import type { TemporalWorker } from '../../../../workers/temporal/worker-factory.ts';
import type { Sandbox } from '../../core/sandbox.ts';
import { RunPool } from '../../core/run-pool.ts';
import { Sandboxes } from '../../core/sandbox.ts';
import { createWorker } from '../../core/worker.ts';
import { SimulatedProcess } from '../../engine/process.ts';
import { Simulation } from '../../engine/simulation.ts';
import type { Execution } from '../../temporal/execution.ts';
import { SimulatedTemporal } from '../../temporal/server.ts';
import { calm, Weather } from '../../world/weather.ts';
import type { AttemptNote } from './activities.ts';
import { createActivities } from './activities.ts';
import { describeFailure } from './describe-failure.ts';
import type { Observation } from './observation.ts';
import { play } from './play.ts';
import type { Script } from './script.ts';
import type { FoundRun, Stage } from './stage.ts';
import { workerOptions } from './worker-options.ts';

export interface SimulatedPlay {
  observation: Observation;
  simulation: Simulation;
}

export interface PlayOptions {
  seed?: number;
  /** Share of workflow tasks before which a run is replayed; default 0. */
  evictions?: number;
}

/** Longer than any script takes. */
const longestMs = 600_000;
const workflowId = 'script';
const taskQueue = 'scripts';
const sandboxes = new Sandboxes();

export async function onSimulation(
  script: Script,
  codePath: string,
  { seed = 1, evictions = 0 }: PlayOptions = {},
): Promise<SimulatedPlay> {
  const simulation = new Simulation(seed);
  const failingErrorsOfAll = failingErrors['*'];
  const sandbox = await sandboxes.for({
    codePath,
    activityNames: ['scripted'],
    failingErrors: failingErrorsOfAll,
  });
  const stage = new SimulatedStage(simulation, sandbox, evictions);
  return { observation: await stage.play(script), simulation };
}

interface SimulatedWorker {
  process: SimulatedProcess;
  worker: TemporalWorker;
  over: Promise<void>;
}

class SimulatedStage {
  readonly #simulation: Simulation;
  readonly #sandbox: Sandbox;
  readonly #evictions: number;
  readonly #runs = new RunPool();
  readonly #temporal: SimulatedTemporal;
  readonly #notes: AttemptNote[] = [];
  #worker: SimulatedWorker | undefined;

  constructor(simulation: Simulation, sandbox: Sandbox, evictions: number) {
    this.#simulation = simulation;
    this.#sandbox = sandbox;
    this.#evictions = evictions;
    const weather = new Weather(simulation, calm);
    this.#temporal = new SimulatedTemporal(simulation, {
      namespace: 'default',
      fateOf: ({ process, method }) => weather.fateOf(process, method),
    });
  }

  async play(script: Script): Promise<Observation> {
    const simulation = this.#simulation;
    this.#startWorker();
    let outcome: { found: Observation } | { error: unknown } | undefined;
    const outside = new SimulatedProcess(simulation, { name: 'outside' });
    outside.run(() => {
      play(this.#stageOf(outside), script).then(
        (found) => (outcome = { found }),
        (error: unknown) => (outcome = { error }),
      );
    });
    await simulation.run(simulation.startMs + longestMs, () => outcome !== undefined);
    await this.#runs.close();
    if (!outcome) throw new Error(`${script.name}: it never ended`);
    if ('error' in outcome) throw outcome.error;
    return outcome.found;
  }

  #startWorker(): void {
    const simulation = this.#simulation;
    const process = new SimulatedProcess(simulation, { name: 'worker' });
    const activities = createActivities((note) => {
      process.note(`${note.attempt} ${note.what}`);
      this.#notes.push(note);
    });
    const host = {
      simulation,
      process,
      line: this.#temporal.lineFor(process, workerOptions.identity),
      client: this.#temporal.clientFor(process, workerOptions.identity),
      sandbox: this.#sandbox,
      runs: this.#runs,
      evictions: this.#evictions,
      reused: 0,
    };
    this.#worker = process.run(() => {
      const worker = createWorker(host, { ...workerOptions, taskQueue, activities });
      return { process, worker, over: worker.run() };
    });
  }

  async #stopWorker(): Promise<void> {
    const { process, worker, over } = this.#worker ?? {};
    process?.run(() => worker?.shutdown());
    await over;
    process?.end();
  }

  #stageOf(process: SimulatedProcess): Stage {
    const simulation = this.#simulation;
    return {
      client: this.#temporal.clientFor(process, 'outside'),
      workflowId,
      taskQueue,
      notes: this.#notes,
      sleep: (milliseconds) => simulation.sleep(milliseconds),
      now: () => simulation.now,
      killWorker: async () => this.#worker?.process.kill(),
      stopWorker: () => this.#stopWorker(),
      startWorker: async () => this.#startWorker(),
      eventTypes: async (runId) => this.#temporal.engine.find(workflowId, runId).history.types,
      runs: async () =>
        Array.from(this.#temporal.engine.executions())
          .filter(({ run }) => run.workflowId === workflowId)
          .map(runOf),
    };
  }
}

function runOf(execution: Execution): FoundRun {
  const { run, status, history } = execution;
  return { runId: run.runId, status, events: history.types, end: endOf(execution) };
}

function endOf({ result, failure }: Execution): string[] {
  if (failure) {
    const error = defaultFailureConverter.failureToError(failure, defaultPayloadConverter);
    return [describeFailure(error)];
  }
  return result ? defaultPayloadConverter.fromPayload(result) : [];
}
