/** A MachineDeployment to measure with. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import { isAlreadyExists } from '../../kube/client/errors.ts';
import { apiVersion } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';

export const namespace = 'default';
export const poolName = 'bench';
/** The class that the pool is made with, and the one that it is rolled to. */
export const secondClass = 'bench-second';

const deployment = customResource('machinedeployments', namespace, poolName);

export interface MachineTimes {
  /** Milliseconds after the change of `replicas`. */
  created?: number;
  running?: number;
  gone?: number;
}

/** All pools have the class of the first. */
export async function applyPool(kube: KubeClient, pool = poolName): Promise<void> {
  await ensure(kube, namespaced('secrets', namespace), {
    metadata: { name: poolName },
    stringData: { userData: '#!/bin/true' },
  });
  for (const name of [poolName, secondClass]) {
    await ensure(kube, customResource('machineclasses', namespace), {
      apiVersion,
      kind: 'MachineClass',
      metadata: { name },
      provider: 'virtual',
      // The driver of MCM goes by tags, and refuses a class without.
      providerSpec: { tags: { pool: poolName } },
      secretRef: { name: poolName, namespace },
    });
  }
  await applyDeployment(kube, pool, 0);
}

/** A MachineDeployment of the class that `applyPool` makes. */
export async function applyDeployment(
  kube: KubeClient,
  name: string,
  replicas: number,
): Promise<void> {
  const labels = { name };
  await ensure(kube, customResource('machinedeployments', namespace), {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '10%', maxUnavailable: 0 } },
      template: {
        metadata: { labels },
        spec: { class: { kind: 'MachineClass', name: poolName } },
      },
    },
  });
}

/** Without a target cluster: machines have no Node, and are Available once they are created. */
export async function untilAvailable(
  kube: KubeClient,
  name: string,
  replicas: number,
): Promise<void> {
  const path = customResource('machinedeployments', namespace, name);
  for (;;) {
    const { status } = await kube.get<MachineDeployment>(path);
    if (status?.availableReplicas === replicas) return;
    await sleep(50);
  }
}

async function ensure(kube: KubeClient, path: string, object: object): Promise<void> {
  try {
    await kube.create(path, object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

export interface Watched {
  milliseconds: number;
  times: Map<string, MachineTimes>;
}

/** Sets `replicas` and watches until all machines are Running, or gone. */
export async function scaleAndWatch(kube: KubeClient, replicas: number): Promise<Watched> {
  const scale = (): Promise<unknown> => kube.patch(deployment, 'merge', { spec: { replicas } });
  return await changeAndWatch(kube, scale, replicas);
}

/** Deletes the MachineDeployment and watches until all machines are gone. */
export async function deleteAndWatch(kube: KubeClient): Promise<Watched> {
  return await changeAndWatch(kube, () => kube.delete(deployment), 0);
}

/** Watches until the pool has that many machines, all of them Running. */
export async function changeAndWatch(
  kube: KubeClient,
  change: () => Promise<unknown>,
  replicas: number,
): Promise<Watched> {
  const path = customResource('machines', namespace);
  const query = { labelSelector: `name=${poolName}` };
  const { metadata, items } = await kube.list<Machine>(path, query);
  const pool = new Pool(items);
  const stop = new AbortController();
  const start = performance.now();
  await change();
  let { resourceVersion } = metadata;
  // A server that has much to do ends a watch early.
  while (!pool.isAt(replicas)) {
    const events = kube.watch<Machine>(path, { ...query, resourceVersion }, stop.signal);
    for await (const event of events) {
      ({ resourceVersion } = event.object.metadata);
      if (event.type === 'BOOKMARK') continue;
      pool.note(event.object, event.type === 'DELETED', performance.now() - start);
      if (pool.isAt(replicas)) break;
    }
  }
  stop.abort();
  return { milliseconds: performance.now() - start, times: pool.times };
}

class Pool {
  readonly times = new Map<string, MachineTimes>();
  readonly #present = new Set<string>();
  readonly #running = new Set<string>();

  constructor(machines: Machine[]) {
    for (const machine of machines) this.note(machine, false, 0);
    this.times.clear();
  }

  note(machine: Machine, isGone: boolean, now: number): void {
    const { name } = machine.metadata;
    const time = this.times.get(name) ?? { created: now };
    this.times.set(name, time);
    const isRunning = !isGone && machine.status?.currentStatus?.phase === 'Running';
    if (isRunning) time.running ??= now;
    if (isGone) time.gone = now;
    setMembership(this.#present, name, !isGone);
    setMembership(this.#running, name, isRunning);
  }

  isAt(replicas: number): boolean {
    return this.#present.size === replicas && this.#running.size === replicas;
  }
}

function setMembership(set: Set<string>, name: string, isMember: boolean): void {
  if (isMember) set.add(name);
  else set.delete(name);
}
