/**
 * How long single machines of small pools take while another pool grows: from a Machine's creation
 * to Running, beyond the boot time of its VM, and where that time goes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { measureUp, untilQuiet, type Bench, type Part, type Parts } from './measure.ts';
import { applyPool, namespace } from './pool.ts';
import type { LonePhase, LoneTimes } from './lone-waits.ts';
import { queueWaitsOf, startsOf } from './queue-waits.ts';
import { quantiles } from './quantiles.ts';

/** Several, as one after the other gives too few machines for a 95th percentile. */
const lonePools = ['lone-a', 'lone-b', 'lone-c', 'lone-d'];
/** Between the end of a machine and the next of its pool. */
const pauseMs = 1_000;

/** At rest first: what they take with nothing beside them. */
export async function* measureLone(bench: Bench, machines: number, bootSeconds: number): Parts {
  for (const name of lonePools) await applyPool(bench.kube, name);
  yield await withLone(bench, bootSeconds, { name: 'lone, at rest', run: () => rest(machines) });
  await untilQuiet(bench);
  const name = `lone, beside up ${machines}`;
  yield await withLone(bench, bootSeconds, { name, run: () => measureUp(bench, machines) });
}

const restMs = 20_000;

async function rest(machines: number): Promise<Part> {
  await sleep(restMs);
  return { ...nothing, machines, seconds: restMs / 1_000 };
}

const nothing = {
  name: 'rest',
  requests: {},
  processes: {},
  workers: {},
  eventsPerMachine: 0,
  actions: {},
  eventTypes: {},
  lostTasks: 0,
};

async function withLone(
  { kube, stack }: Bench,
  bootSeconds: number,
  { name, run }: { name: string; run: () => Promise<Part> },
): Promise<Part> {
  const since = Date.now();
  const stop = new AbortController();
  const times: LoneTimes[] = [];
  const cycling = lonePools.map((pool) => cycle(kube, { pool, bootSeconds, times, stop }));
  const part = await run();
  stop.abort();
  await Promise.all(cycling);
  const starts = await startsOf(stack, /^machine\/.*\/lone-/);
  for (const time of times) {
    const startedAt = starts.get(time.name);
    if (startedAt !== undefined) time.begun = startedAt / 1_000 - time.createdAt;
  }
  const valuesOf = (phase: LonePhase): number[] => times.flatMap((time) => time[phase] ?? []);
  return {
    ...part,
    name,
    lone: {
      samples: times.length,
      phases: {
        created: quantiles(valuesOf('created')),
        begun: quantiles(valuesOf('begun')),
        instance: quantiles(valuesOf('instance')),
        running: quantiles(valuesOf('running')),
        beyondBoot: quantiles(valuesOf('beyondBoot')),
        gone: quantiles(valuesOf('gone')),
      },
      machines: await queueWaitsOf(stack, { ids: /^machine\/.*\/lone-/, since }),
      owners: await queueWaitsOf(stack, { ids: /^machine(Set|Deployment)\/.*\/lone-/, since }),
    },
  };
}

interface Cycle {
  pool: string;
  bootSeconds: number;
  times: LoneTimes[];
  stop: AbortController;
}

/** One machine after the other; the last one is deleted as well. */
async function cycle(kube: KubeClient, { pool, bootSeconds, times, stop }: Cycle): Promise<void> {
  while (!stop.signal.aborted) {
    const up = await scaleOne(kube, pool, 1);
    const { name = '', createdAt = 0, created = 0, instance = 0, running = 0 } = up;
    const waited = { created, instance: instance - created, running: running - instance };
    const time: LoneTimes = {
      name,
      createdAt,
      created: waited.created,
      instance: waited.instance,
      running: waited.running - bootSeconds,
      beyondBoot: waited.instance + waited.running - bootSeconds,
    };
    times.push(time);
    const { gone } = await scaleOne(kube, pool, 0);
    if (gone !== undefined) time.gone = gone;
    await sleep(pauseMs);
  }
}

/** Seconds since the change of `replicas`, as a watch of the API server shows it. */
interface Seen {
  name?: string;
  createdAt?: number;
  created?: number;
  instance?: number;
  running?: number;
  gone?: number;
}

async function scaleOne(kube: KubeClient, pool: string, replicas: 0 | 1): Promise<Seen> {
  const path = customResource('machines', namespace);
  const query = { labelSelector: `name=${pool}` };
  const { metadata } = await kube.list<Machine>(path, query);
  let { resourceVersion } = metadata;
  const stop = new AbortController();
  const seen: Seen = {};
  const start = performance.now();
  const deployment = customResource('machinedeployments', namespace, pool);
  await kube.patch(deployment, 'merge', { spec: { replicas } });
  const isOver = (): boolean => (replicas === 1 ? seen.running : seen.gone) !== undefined;
  while (!isOver()) {
    const events = kube.watch<Machine>(path, { ...query, resourceVersion }, stop.signal);
    for await (const event of events) {
      ({ resourceVersion } = event.object.metadata);
      if (event.type === 'BOOKMARK') continue;
      note(seen, event.object, {
        isGone: event.type === 'DELETED',
        now: (performance.now() - start) / 1_000,
      });
      if (isOver()) break;
    }
  }
  stop.abort();
  return seen;
}

function note(
  seen: Seen,
  { metadata, spec, status }: Machine,
  { isGone, now }: { isGone: boolean; now: number },
): void {
  const isRunning = status?.currentStatus?.phase === 'Running';
  const facts: Seen = {
    name: metadata.name,
    createdAt: Date.now() / 1_000,
    created: now,
    ...(spec?.providerID !== undefined && { instance: now }),
    ...(isRunning && { running: now }),
    ...(isGone && { gone: now }),
  };
  // The first of each counts.
  Object.assign(seen, { ...facts, ...seen });
}
