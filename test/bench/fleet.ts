/**
 * `npm run bench -- fleet 10000`: what grows with the number of machines, and what does not. Pools
 * of 1,000 come one after the other, without Nodes, which the API server would pay for and not we.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import { eventually } from '../support/eventually.ts';
import { auditPosition, requestsOfControllers, requestsSince } from './audit.ts';
import { drawCurves, type Curve } from './curves.ts';
import { lostTasksOf } from './lost-tasks.ts';
import type { Bench } from './measure.ts';
import { applyDeployment, untilAvailable } from './pool.ts';
import { cpuBetween, useOf } from './processes.ts';

/** Of each pool. */
export const poolSize = 1_000;
const idleSeconds = 60;
const ours = ['worker', 'watcher'];
const others = ['temporal', 'kube-apiserver', 'etcd'];

/** What one more pool cost; times of CPU in milliseconds for each of its machines. */
export interface FleetStep {
  machines: number;
  seconds: number;
  cpu: Record<string, number>;
  memoryMib: Record<string, number>;
  /** Of our own, for each machine. */
  writes: number;
  reads: number;
  lostTasks: number;
  /** Nothing happens: of CPU, in a minute, and of requests of ours. */
  idle: { cpuMs: Record<string, number>; requests: number };
  /** From the creation of one more machine to its being Available, seconds. */
  loneSeconds: number;
}

export async function measureFleet(bench: Bench, machines: number, asJson: boolean): Promise<void> {
  const steps: FleetStep[] = [];
  await applyDeployment(bench.kube, 'lone', 0);
  for (let pool = 1; pool * poolSize <= machines; pool += 1) {
    const step = await addPool(bench, pool);
    steps.push(step);
    if (!asJson) console.log(textOf(step));
  }
  if (asJson) console.log(JSON.stringify(steps, undefined, 2));
  const folder = join(bench.stateDir, 'curves');
  await mkdir(folder, { recursive: true });
  for (const curve of curvesOf(steps)) {
    await writeFile(join(folder, `${curve.name}.svg`), drawCurves(curve));
  }
  console.error(`\nCurves: ${folder}`);
}

async function addPool(bench: Bench, pool: number): Promise<FleetStep> {
  const { stack, kube, stateDir } = bench;
  const log = join(stateDir, 'logs', 'audit.log');
  const position = await auditPosition(log);
  const before = useOf(stack);
  const lostBefore = await lostTasksOf(stack);
  const start = performance.now();
  await applyDeployment(kube, `fleet-${pool}`, poolSize);
  await untilAvailable(kube, `fleet-${pool}`, poolSize);
  const seconds = (performance.now() - start) / 1_000;
  const after = useOf(stack);
  const requests = requestsOfControllers(await requestsSince(log, position));
  const used = cpuBetween(before, after);
  const each = (name: string): number => ((used[name]?.cpuSeconds ?? 0) * 1_000) / poolSize;
  const names = [...ours, ...others];
  return {
    machines: pool * poolSize,
    seconds,
    cpu: Object.fromEntries(names.map((name) => [name, each(name)])),
    memoryMib: Object.fromEntries(names.map((name) => [name, used[name]?.memoryMib ?? 0])),
    writes: requests.writes / poolSize,
    reads: requests.reads / poolSize,
    lostTasks: (await lostTasksOf(stack)) - lostBefore,
    loneSeconds: await measureLone(kube),
    idle: await measureIdle(bench, log),
  };
}

/** The last status writes come within this. */
const settleMs = 10_000;

async function measureIdle({ stack }: Bench, log: string): Promise<FleetStep['idle']> {
  await sleep(settleMs);
  const position = await auditPosition(log);
  const before = useOf(stack);
  await sleep(idleSeconds * 1_000);
  const used = cpuBetween(before, useOf(stack));
  const { writes, reads } = requestsOfControllers(await requestsSince(log, position));
  const cpuMs = [...ours, ...others].map((name) => [name, (used[name]?.cpuSeconds ?? 0) * 1_000]);
  return { cpuMs: Object.fromEntries(cpuMs), requests: writes + reads };
}

async function measureLone(kube: KubeClient): Promise<number> {
  const path = customResource('machinedeployments', 'default', 'lone');
  const start = performance.now();
  await kube.patch(path, 'merge', { spec: { replicas: 1 } });
  await untilAvailable(kube, 'lone', 1);
  const seconds = (performance.now() - start) / 1_000;
  await kube.patch(path, 'merge', { spec: { replicas: 0 } });
  await eventually('the lone machine is gone', async () => {
    const labelSelector = 'name=lone';
    const { items } = await kube.list(customResource('machines', 'default'), { labelSelector });
    return items.length === 0;
  });
  return seconds;
}

function list(values: Record<string, number>, unit: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value.toFixed(0)} ${unit}`)
    .join(', ');
}

function textOf({ machines, seconds, cpu, memoryMib, idle, ...step }: FleetStep): string {
  return [
    `\n${machines} machines: the last ${poolSize} in ${seconds.toFixed(1)} s, one more in ${step.loneSeconds.toFixed(2)} s`,
    `  CPU per machine   ${list(cpu, 'ms')}`,
    `  memory            ${list(memoryMib, 'MiB')}`,
    `  API requests      ${step.writes.toFixed(2)} writes and ${step.reads.toFixed(2)} reads of ours per machine`,
    `  workflow tasks    ${step.lostTasks} done in vain`,
    `  an idle minute    ${list(idle.cpuMs, 'ms')}; ${idle.requests} API requests of ours`,
  ].join('\n');
}

function curvesOf(steps: readonly FleetStep[]): Curve[] {
  const xs = steps.map(({ machines }) => machines);
  const lines = (names: readonly string[], read: (step: FleetStep, name: string) => number) =>
    names.map((name) => ({ name, values: steps.map((step) => read(step, name)) }));
  const all = [...ours, ...others];
  const x = { title: 'machines', values: xs };
  return [
    {
      name: 'scaling-cpu',
      title: 'CPU for one machine more, ms',
      x,
      lines: lines(all, ({ cpu }, name) => cpu[name] ?? 0),
    },
    {
      name: 'scaling-memory',
      title: 'Memory, MiB',
      x,
      lines: lines(all, ({ memoryMib }, name) => memoryMib[name] ?? 0),
    },
    {
      name: 'scaling-idle',
      title: 'CPU of a minute in which nothing happens, ms',
      x,
      lines: lines(all, ({ idle }, name) => idle.cpuMs[name] ?? 0),
    },
    {
      name: 'scaling-time',
      title: 'Seconds',
      x,
      lines: [
        { name: 'for 1,000 machines more', values: steps.map(({ seconds }) => seconds) },
        { name: 'for a single one', values: steps.map(({ loneSeconds }) => loneSeconds) },
      ],
    },
  ];
}
