/** A Temporal server in memory, with one namespace: what clients and workers connect to. */
import { Client } from '@temporalio/client';
import { searchAttributes } from '../../../workflows/contracts/search-attributes.ts';
import type { Fate } from '../engine/journey.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { createConnection } from './connection.ts';
import { ExecutionEngine } from './engine.ts';
import { createLine } from './line.ts';
import type { WorkerLine } from './messages.ts';
import { Schedules } from './schedules.ts';
import { createService, startOfInfo } from './service.ts';
import type { Handler } from './service.ts';
import { workerOf } from './workers.ts';

export interface TemporalOptions {
  namespace: string;
  fateOf(call: { process: SimulatedProcess; method: string }): Fate;
  /** False: the line of this process is cut, so that it hears of no task. */
  isReachable?(process: SimulatedProcess): boolean;
  /** For how many events each event counts; default 1. */
  historyWeight?: number;
}

export class SimulatedTemporal {
  readonly engine: ExecutionEngine;
  readonly #simulation: Simulation;
  readonly #options: TemporalOptions;
  readonly #calls: ReadonlyMap<string, Handler>;
  readonly #schedules: Schedules;
  #namespaceId: string;
  #workers = 0;
  #isUp = true;
  #forgotAt: number | undefined;
  #knownUntil: number | undefined;

  constructor(simulation: Simulation, options: TemporalOptions) {
    this.#simulation = simulation;
    this.#options = options;
    this.#namespaceId = simulation.chance.uuid();
    this.engine = new ExecutionEngine(simulation, {
      historyWeight: options.historyWeight,
      onTaskFailed: ({ run }, { kind, message }) =>
        simulation.violate('no failed workflow task', `${run.workflowId}: ${kind}: ${message}`),
      onHistoryTooLong: ({ run }) =>
        simulation.violate('history limits', `${run.workflowId} has too many events`),
    });
    this.#schedules = new Schedules(simulation, (info, workflowId, lastResult) =>
      this.engine.start({
        ...startOfInfo(info),
        workflowId,
        lastResult,
        namespace: options.namespace,
        requestId: '',
      }),
    );
    this.#calls = createService({
      simulation,
      engine: this.engine,
      schedules: this.#schedules,
      namespaceId: () => this.#namespaceId,
      searchAttributes: new Set(Object.keys(searchAttributes)),
    });
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** While it is down every call fails; runs, timers and retries stand as they are. */
  set isUp(isUp: boolean) {
    this.#isUp = isUp;
    this.#simulation.note('temporal', isUp ? 'answers again' : 'does not answer');
  }

  /** When its database was lost or restored last. */
  get forgotAt(): number | undefined {
    return this.#forgotAt;
  }

  /** Of which moment the backup was that was restored last; undefined: nothing is left. */
  get knownUntil(): number | undefined {
    return this.#knownUntil;
  }

  clientFor(process: SimulatedProcess, identity: string): Client {
    const connection = createConnection({
      simulation: this.#simulation,
      process,
      calls: this.#calls,
      fateOf: this.#options.fateOf,
      isUp: () => this.#isUp,
    });
    return new Client({ connection, namespace: this.#options.namespace, identity });
  }

  lineFor(process: SimulatedProcess, identity: string): WorkerLine {
    this.#workers += 1;
    return createLine({
      simulation: this.#simulation,
      process,
      engine: this.engine,
      worker: workerOf(identity, this.#workers),
      fateOf: this.#options.fateOf,
      isUp: () => this.#isUp,
      isReachable: () => this.#options.isReachable?.(process) ?? true,
    });
  }

  /** Its database is empty from now on: another namespace of the same name. */
  lose(): void {
    this.#simulation.note('temporal', 'has lost its database');
    this.#forgotAt = this.#simulation.now;
    this.#knownUntil = undefined;
    this.#namespaceId = this.#simulation.chance.uuid();
    this.#schedules.clear();
    this.engine.lose();
  }

  /** A schedule has a run now. Throws NOT_FOUND. */
  trigger(scheduleId: string): void {
    this.#schedules.trigger(scheduleId);
  }

  /** Takes a backup of its database; the function that it returns restores it, once. */
  backup(): () => void {
    const [namespaceId, takenAt] = [this.#namespaceId, this.#simulation.now];
    const restoreRuns = this.engine.backup();
    const restoreSchedules = this.#schedules.backup((execution) => this.engine.current(execution));
    return () => {
      this.#simulation.note('temporal', 'has its database of an earlier moment');
      this.#forgotAt = this.#simulation.now;
      this.#knownUntil = takenAt;
      this.#namespaceId = namespaceId;
      restoreRuns();
      restoreSchedules();
    };
  }
}
