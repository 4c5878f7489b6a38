/**
 * An install with the real rounds, on API servers in memory and a simulated Temporal. Its workers
 * have the rounds in turn. None runs the checks: their runs end at once with the reports that a
 * test hands in.
 */
import type { ScheduleDescription } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { Registry } from 'prom-client';
import { readCommandLine } from '../../../workers/config/config.ts';
import type { Config } from '../../../workers/config/config.ts';
import { registerCheckMetrics } from '../../../workers/checks/check-metrics.ts';
import { checkNames, checksOf } from '../../../workers/checks/checks.ts';
import { keepRounds, keepSchedules } from '../../../workers/checks/keep-schedules.ts';
import { NamespaceChecks } from '../../../workers/checks/namespace-checks.ts';
import { Rounds } from '../../../workers/checks/rounds.ts';
import { createLogger } from '../../../workers/log/logger.ts';
import { createWorkflowRegistry } from '../../../workers/temporal/workflow-registry.ts';
import type { SafetyReport } from '../../../workflows/contracts/safety-activities.ts';
import { scheduleIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { SimulatedProcess } from '../../simulation/engine/process.ts';
import { Simulation } from '../../simulation/engine/simulation.ts';
import type { WorkerLine, WorkflowTask } from '../../simulation/temporal/messages.ts';
import { SimulatedTemporal } from '../../simulation/temporal/server.ts';
import { namespace } from '../../support/builders.ts';
import type { WorldOfTests } from '../../support/world.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
const identity = { cluster: 'one', name: namespace, taskQueue: 'millwright/one/shoot' };

export interface Worker {
  process: SimulatedProcess;
  rounds: Rounds;
  registry: Registry;
  logged: { msg: string; check?: string }[];
  /** Its watch shows a DisruptionPolicy that was edited. */
  edited(): void;
}

export class Install {
  readonly simulation = new Simulation(1);
  readonly temporal = new SimulatedTemporal(this.simulation, {
    namespace: 'default',
    fateOf: () => ({ requestMs: 1, answerMs: 1 }),
  });
  /** Results of the runs, by the name of the check. */
  readonly reports: Record<string, object> = {};
  /** How long runs of a check last, milliseconds. Default: they end at once. */
  readonly lasting: Record<string, number> = {};
  /** Whether each check is made, due or not. */
  isByHand = false;
  /** Id of a Schedule whose key is gone. */
  unreadable = '';
  readonly #world: WorldOfTests;
  readonly #operator = new SimulatedProcess(this.simulation, { name: 'operator' });
  readonly #client = this.temporal.clientFor(this.#operator, 'operator');
  readonly #runs: { check: string; at: number }[] = [];
  readonly #workers: Worker[] = [];
  /** By the id of the run. */
  readonly #results = new Map<string, Promise<object>>();
  /** What the rounds reported. */
  readonly rounds: SafetyReport[] = [];

  constructor(world: WorldOfTests) {
    this.#world = world;
    const runner = new SimulatedProcess(this.simulation, { name: 'runner' });
    const line = this.temporal.lineFor(runner, 'runner');
    const serve = async (): Promise<never> => {
      for (;;) {
        const task = await line.pollWorkflowTask(identity.taskQueue);
        if (task) void this.#answer(line, task).catch(() => undefined);
      }
    };
    void runner.run(serve);
  }

  /** Its checks begin within their periods. */
  startWorker(...flags: string[]): Worker {
    const name = `worker-${this.#workers.length + 1}`;
    const process = new SimulatedProcess(this.simulation, { name });
    const registry = new Registry();
    const logged: Worker['logged'] = [];
    const config = configOf(flags);
    const temporal = this.temporal.clientFor(process, process.name);
    const getHandle = temporal.schedule.getHandle.bind(temporal.schedule);
    jest.spyOn(temporal.schedule, 'getHandle').mockImplementation((id) => {
      const handle = getHandle(id);
      return id === this.unreadable ? { ...handle, describe: failForItsKey } : handle;
    });
    const { timeouts, namespaces } = config;
    const isOfFleet = namespaces.kind !== 'one';
    const served = isOfFleet ? namespace : namespaces.name;
    const own = { ...identity, ...(isOfFleet && { fleetNamespace: namespace }) };
    const { creationTimeoutSeconds } = config.machine;
    const workflows = createWorkflowRegistry({
      temporal,
      namespace,
      identity,
      timeouts,
      creationTimeoutSeconds,
    });
    const settings = { ...config, namespace: served, identity: own };
    const log = createLogger({
      component: 'worker',
      level: 'info',
      format: 'json',
      output: { write: (text) => void logged.push(JSON.parse(text)) },
    });
    const { signal } = new AbortController();
    const rounds = new Rounds();
    const kept = { temporal, log, signal };
    let checks: NamespaceChecks | undefined;
    process.run(() => {
      keepRounds({ ...kept, settings: { ...config, identity } });
      keepSchedules({ ...kept, settings });
      const metrics = registerCheckMetrics(registry).of(namespace, checksOf(settings));
      const dependencies = { ...this.#world, workflows };
      const parts = { ...kept, settings, dependencies, metrics, namespaces: () => rounds.size };
      checks = new NamespaceChecks(parts);
      rounds.add(served, checks);
    });
    const edited = (): void => process.run(() => checks?.policiesEdited());
    const worker = { process, rounds, registry, logged, edited };
    this.#workers.push(worker);
    return worker;
  }

  async pass(milliseconds: number): Promise<void> {
    await this.simulation.run(this.simulation.now + milliseconds);
  }

  /** Asks every half second. */
  async until(isSo: () => boolean): Promise<void> {
    const deadline = this.simulation.now + hourMs;
    while (!isSo()) {
      if (this.simulation.now > deadline) throw new Error('it did not happen within an hour');
      await this.pass(500);
    }
  }

  /** When runs of a check were started, minutes since the beginning. */
  runsOf(check: string): number[] {
    return this.#runs.filter((run) => run.check === check).map(({ at }) => at);
  }

  /** Of the install as one of a namespace, and as a fleet, in the order of their names. */
  async scheduleIds(): Promise<string[]> {
    return [...(await this.#schedules()).keys()].toSorted();
  }

  async notesOfPaused(): Promise<Record<string, string | undefined>> {
    const paused = [...(await this.#schedules())].filter(([, { state }]) => state.paused);
    return Object.fromEntries(paused.map(([id, { state }]) => [id, state.note]));
  }

  async #schedules(): Promise<Map<string, ScheduleDescription>> {
    const found = new Map<string, ScheduleDescription>();
    for (const last of [namespace, `${namespace}:${namespace}`]) {
      for (const check of checkNames) {
        const id = scheduleIdOf(check, { name: last });
        const described = this.#client.schedule.getHandle(id).describe();
        described.then(
          (description) => found.set(id, description),
          () => undefined,
        );
      }
    }
    await this.simulation.run(this.simulation.now + 1_000);
    return found;
  }

  /** What the Schedule of the check hands to its next run. */
  async inputOf(check: string): Promise<unknown> {
    const handle = this.#client.schedule.getHandle(scheduleIdOf(check, { name: namespace }));
    const described = handle.describe();
    await this.simulation.run(this.simulation.now + 1_000);
    return (await described).action.args?.[0];
  }

  async setInterval(check: string, every: '5m'): Promise<void> {
    const handle = this.#client.schedule.getHandle(scheduleIdOf(check, { name: namespace }));
    const done = handle.update(({ action, policies, state }) => ({
      spec: { intervals: [{ every }] },
      action,
      policies,
      state,
    }));
    await this.simulation.run(this.simulation.now + 1_000);
    await done;
  }

  async setPaused(check: string, isPaused: boolean): Promise<void> {
    const handle = this.#client.schedule.getHandle(scheduleIdOf(check, { name: namespace }));
    const done = isPaused ? handle.pause('looking into it') : handle.unpause('done');
    await this.simulation.run(this.simulation.now + 1_000);
    await done;
  }

  /** A round may take longer than a workflow task: the next one waits for the same. */
  async #answer(line: WorkerLine, task: WorkflowTask): Promise<void> {
    const { runId } = task.run;
    const result = this.#results.get(runId) ?? this.#resultOf(task);
    this.#results.set(runId, result);
    await line.completeWorkflowTask(task, this.#endOf(task, await result));
  }

  async #resultOf({ run }: WorkflowTask): Promise<object> {
    const check = /^safety\/(?<check>[^/]+)\//.exec(run.workflowId)?.groups?.['check'] ?? '';
    this.#runs.push({ check, at: (run.startedAt - this.simulation.startMs) / minuteMs });
    const running = this.#workers.filter(({ process }) => process.isAlive);
    const worker = running[this.rounds.length % Math.max(running.length, 1)];
    await this.simulation.sleep(this.lasting[check] ?? 0);
    if (check !== 'all' || !worker) return this.reports[check] ?? {};
    const { signal } = new AbortController();
    const all = this.isByHand;
    const report = await worker.process.run(() => worker.rounds.check({ all }, signal));
    this.rounds.push(report);
    return report;
  }

  #endOf({ jobs, timestamp, historyLength, historySize, ...task }: WorkflowTask, report: object) {
    const result = defaultPayloadConverter.toPayload(report);
    const { continueAsNewSuggested } = task;
    const position = { timestamp, historyLength, historySize, continueAsNewSuggested };
    const commands = [{ completeWorkflowExecution: { result } }];
    const activations = [{ jobs, ...position, commands, flags: [] }];
    return { activations, commands, queryAnswers: [], mustContinue: false };
  }
}

const failForItsKey = () => Promise.reject(new Error('the key "old" is missing'));

function configOf(flags: readonly string[]): Config {
  const isGiven = flags.some((flag) => /^--namespaces?=/.test(flag));
  const argv = [...(isGiven ? [] : [`--namespace=${namespace}`]), ...flags];
  const command = readCommandLine({ component: 'worker', argv, env: {} });
  if (command.kind !== 'run') throw new Error(command.text);
  return command.config;
}

export async function valueOf(
  { process, registry }: Worker,
  name: string,
  labels: Record<string, string> = {},
): Promise<number | undefined> {
  const read = process.run(() => registry.getSingleMetric(name)?.get());
  const { values } = (await read) ?? { values: [] };
  const found = values.filter((value) =>
    Object.entries(labels).every(([label, wanted]) => value.labels[label] === wanted),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
