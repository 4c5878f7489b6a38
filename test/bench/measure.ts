/** One measurement: what happened between two looks at the stack. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { KubeClient } from '../../activities/kube/client.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import type { RequestCounts } from './audit.ts';
import { auditPosition, requestsSince } from './audit.ts';
import type { MachineTimes } from './pool.ts';
import { scaleAndWatch } from './pool.ts';
import type { ProcessUse } from './processes.ts';
import { cpuBetween, useOf } from './processes.ts';

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
  perMachine?: { p50: number; p95: number; max: number };
  requests: Record<string, RequestCounts>;
  processes: Record<string, ProcessUse>;
  /** History events of all workflows that this part added, per machine. */
  eventsPerMachine: number;
}

/** The last workflows of a scale-down and what Kubernetes does about gone Nodes end after the last Machine. */
export async function untilQuiet({ stack }: Bench): Promise<void> {
  let before = -1;
  for (let events = 0; events !== before; events = await historyEvents(stack)) {
    before = events;
    await sleep(settleSeconds * 1000);
  }
}

export async function measureScaling(bench: Bench, machines: number): Promise<Part[]> {
  const up = await measure(bench, { name: 'up', machines }, async () => {
    const { milliseconds, times } = await scaleAndWatch(bench.kube, machines);
    return { milliseconds, waits: waitsOf(times, ({ created, running }) => [created, running]) };
  });
  await untilQuiet(bench);
  const down = await measure(bench, { name: 'down', machines }, async () => {
    const { milliseconds, times } = await scaleAndWatch(bench.kube, 0);
    return { milliseconds, waits: waitsOf(times, ({ gone }) => [0, gone]) };
  });
  return [up, down];
}

const idleSeconds = 60;
/** Debounced signals and the last status writes come within this. */
const settleSeconds = 3;

export async function measureIdle(bench: Bench, machines: number): Promise<Part[]> {
  await scaleAndWatch(bench.kube, machines);
  await untilQuiet(bench);
  const idle = await measure(bench, { name: 'idle', machines }, async () => {
    await sleep(idleSeconds * 1000);
    return { milliseconds: idleSeconds * 1000, waits: [] };
  });
  return [idle];
}

interface Run {
  milliseconds: number;
  waits: number[];
}

async function measure(
  { stack, stateDir }: Bench,
  { name, machines }: { name: string; machines: number },
  run: () => Promise<Run>,
): Promise<Part> {
  const log = join(stateDir, 'logs', 'audit.log');
  const position = await auditPosition(log);
  const processes = useOf(stack);
  const events = await historyEvents(stack);
  const { milliseconds, waits } = await run();
  const after = useOf(stack);
  // The audit log and Temporal's visibility lag behind by less than this.
  await sleep(1_000);
  return {
    name,
    machines,
    seconds: milliseconds / 1000,
    ...(waits.length > 0 && { perMachine: quantiles(waits) }),
    requests: await requestsSince(log, position),
    processes: cpuBetween(processes, after),
    eventsPerMachine: ((await historyEvents(stack)) - events) / machines,
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

function quantiles(values: number[]): { p50: number; p95: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** Of all workflows; of those that run the length is asked one by one. */
async function historyEvents(stack: Stack): Promise<number> {
  const connection = await Connection.connect({
    address: stack.components['temporal']?.address ?? '',
  });
  const client = new Client({ connection });
  let events = 0;
  for await (const { workflowId, runId, status, historyLength } of client.workflow.list()) {
    events +=
      status.name === 'RUNNING'
        ? (await client.workflow.getHandle(workflowId, runId).describe()).historyLength
        : historyLength;
  }
  await connection.close();
  return events;
}
