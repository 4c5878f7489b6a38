/** One measurement: what happened between two looks at the stack. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import type { RequestCounts } from './audit.ts';
import { actionsBetween, actionsOf, type Actions } from './actions.ts';
import type { LoneWaits } from './lone-waits.ts';
import { auditPosition, requestsSince } from './audit.ts';
import { eventTypesSince, type EventTypes } from './event-types.ts';
import { historiesOf, longestSince, totalOf, type LongestRun } from './histories.ts';
import { lostTasksOf } from './lost-tasks.ts';
import type { MachineTimes, Watched } from './pool.ts';
import { deleteAndWatch, scaleAndWatch } from './pool.ts';
import type { ProcessUse } from './processes.ts';
import { cpuBetween, useOf } from './processes.ts';
import { sharesBetween, sharesOf, type WorkerShare } from './worker-metrics.ts';
import { quantiles, type Quantiles } from './quantiles.ts';

export interface Bench {
  stack: Stack;
  kube: KubeClient;
  stateDir: string;
}

export interface Part {
  name: string;
  machines: number;
  seconds: number;
  /** From the creation of a Machine to its phase Running, or from the change to its end. */
  perMachine?: Quantiles;
  requests: Record<string, RequestCounts>;
  processes: Record<string, ProcessUse>;
  workers: Record<string, WorkerShare>;
  /** History events of all workflows that this part added, per machine. */
  eventsPerMachine: number;
  /** Of Temporal Cloud, by kind, of all machines. */
  actions: Actions;
  /** The same events by workflow and type, of all machines. */
  eventTypes: EventTypes;
  /**
   * Of the runs that got events in this part, the one with most in all; undefined when none got
   * any.
   */
  longestRun?: LongestRun;
  /** Workflow tasks that were done in vain, as their time was over. */
  lostTasks: number;
  /** What a watch of the API server saw throughout. */
  bounds?: { minAvailable: number; maxTotal: number };
  /** Of single machines of other pools. */
  lone?: LoneWaits;
}

/**
 * The last workflows of a scale-down and what Kubernetes does about gone Nodes end after the last
 * Machine.
 */
export async function untilQuiet({ stack }: Bench): Promise<void> {
  let before = -1;
  for (let events = 0; events !== before; events = totalOf(await historiesOf(stack))) {
    before = events;
    await sleep(settleSeconds * 1000);
  }
}

/**
 * The parts of a measurement, each as soon as it is over: one that fails later takes nothing back.
 */
export type Parts = AsyncGenerator<Part, void>;

export async function* measureScaling(bench: Bench, machines: number): Parts {
  yield await measureUp(bench, machines);
  await untilQuiet(bench);
  yield await measureDown(bench, machines);
}

export async function measureUp(bench: Bench, machines: number): Promise<Part> {
  return await measure(bench, { name: 'up', machines }, async () =>
    runOfRunning(await scaleAndWatch(bench.kube, machines)),
  );
}

export async function measureDown(bench: Bench, machines: number): Promise<Part> {
  return await measure(bench, { name: 'down', machines }, async () =>
    runOfGone(await scaleAndWatch(bench.kube, 0)),
  );
}

/** Deletes the MachineDeployment. */
export async function measureDeletion(bench: Bench, machines: number): Promise<Part> {
  return await measure(bench, { name: 'delete', machines }, async () =>
    runOfGone(await deleteAndWatch(bench.kube)),
  );
}

export function runOfRunning({ milliseconds, times }: Watched): Run {
  return { milliseconds, waits: waitsOf(times, ({ created, running }) => [created, running]) };
}

export function runOfGone({ milliseconds, times }: Watched): Run {
  return { milliseconds, waits: waitsOf(times, ({ gone }) => [0, gone]) };
}

const idleSeconds = 60;
/** Debounced signals and the last status writes come within this. */
const settleSeconds = 3;

export async function* measureIdle(bench: Bench, machines: number): Parts {
  await scaleAndWatch(bench.kube, machines);
  await untilQuiet(bench);
  yield await measure(bench, { name: 'idle', machines }, async () => {
    await sleep(idleSeconds * 1000);
    return { milliseconds: idleSeconds * 1000, waits: [] };
  });
}

export interface Run {
  milliseconds: number;
  waits: number[];
  bounds?: { minAvailable: number; maxTotal: number };
}

export async function measure(
  { stack, stateDir }: Bench,
  { name, machines }: { name: string; machines: number },
  run: () => Promise<Run>,
): Promise<Part> {
  const log = join(stateDir, 'logs', 'audit.log');
  const position = await auditPosition(log);
  const processes = useOf(stack);
  const before = await historiesOf(stack);
  const lostBefore = await lostTasksOf(stack);
  const actionsBefore = await actionsOf(stateDir);
  const sharesBefore = await sharesOf(stack);
  const { milliseconds, waits, bounds } = await run();
  const after = useOf(stack);
  const actions = actionsBetween(actionsBefore, await actionsOf(stateDir));
  // The audit log and Temporal's visibility lag behind by less than this.
  await sleep(1_000);
  const histories = await historiesOf(stack);
  const longestRun = longestSince(before, histories);
  return {
    name,
    machines,
    seconds: milliseconds / 1000,
    ...(waits.length > 0 && { perMachine: quantiles(waits) }),
    requests: await requestsSince(log, position),
    processes: cpuBetween(processes, after),
    workers: sharesBetween(sharesBefore, await sharesOf(stack)),
    eventsPerMachine: (totalOf(histories) - totalOf(before)) / machines,
    actions,
    eventTypes: await eventTypesSince(stack, before, histories),
    lostTasks: (await lostTasksOf(stack)) - lostBefore,
    ...(longestRun && { longestRun }),
    ...(bounds && { bounds }),
  };
}

function waitsOf(
  times: Map<string, MachineTimes>,
  ends: (time: MachineTimes) => [number | undefined, number | undefined],
): number[] {
  return [...times.values()].flatMap((time) => {
    const [from, to] = ends(time);
    return from === undefined || to === undefined ? [] : [(to - from) / 1000];
  });
}
