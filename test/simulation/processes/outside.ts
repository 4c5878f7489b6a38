/** What a process of the simulation reaches clusters, Temporal and the cloud through. */
import type { Driver } from '../../../activities/drivers/driver.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { ClientSource } from '../../../workers/kube/clients.ts';
import type { WorkerOutside } from '../../../workers/outside.ts';
import type { WorkerOptions } from '@temporalio/worker';
import { failingErrors } from '../../../workers/temporal/bundle-workflows.ts';
import type { RunPool } from '../core/run-pool.ts';
import type { Sandbox, Sandboxes } from '../core/sandbox.ts';
import { createWorker } from '../core/worker.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { SimulatedTemporal } from '../temporal/server.ts';
import type { Cluster, WriteListener } from '../world/kube-client.ts';
import { SimulatedKubeClient } from '../world/kube-client.ts';
import type { Weather } from '../world/weather.ts';

export interface OutsideParts {
  simulation: Simulation;
  weather: Weather;
  process: SimulatedProcess;
  /** By the path of their kubeconfigs. */
  clusters: ReadonlyMap<string, Cluster>;
  temporal: SimulatedTemporal;
  sandboxes: Sandboxes;
  runs: RunPool;
  createDrivers(process: SimulatedProcess): ReadonlyMap<string, Driver>;
  onWrite?: WriteListener | undefined;
}

/** Share of workflow tasks before which a run leaves the cache. */
const evictions = 0.02;
/** Share of runs out of a cache with which a worker goes on as they are; others are replayed. */
const reused = 0.9;
/** Namespaces are small here: what serves the lists of large ones is to be tried all the same. */
const copies = { smallest: 0, patienceMs: 300 };
/** As those of the real clients, milliseconds. */
const eventTimeoutMs = 3_000;
const leaseTimeoutMs = 5_000;

export function createOutside(parts: OutsideParts): WorkerOutside {
  const { simulation, process, temporal } = parts;
  return {
    kubeClient: (source) => clientOf(parts, source),
    eventClient: (source) => clientOf(parts, source, eventTimeoutMs),
    leaseClient: ({ control }) => clientOf(parts, control, leaseTimeoutMs),
    temporalClient: ({ identity }) => Promise.resolve(temporal.clientFor(process, identity)),
    workerFactory: () =>
      Promise.resolve({
        create: async (options) => {
          const identity = options.identity ?? process.name;
          const host = {
            simulation,
            process,
            line: temporal.lineFor(process, identity),
            client: temporal.clientFor(process, identity),
            sandbox: await sandboxOf(parts, options),
            runs: parts.runs,
            evictions,
            reused,
          };
          return createWorker(host, options);
        },
        close: () => Promise.resolve(),
      }),
    installTemporalRuntime: () => Promise.resolve({}),
    createDrivers: () => parts.createDrivers(process),
    copies,
  };
}

async function sandboxOf(
  { simulation, sandboxes }: OutsideParts,
  { workflowBundle, activities }: Omit<WorkerOptions, 'connection'>,
): Promise<Sandbox | undefined> {
  if (!workflowBundle) return undefined;
  if (!('codePath' in workflowBundle)) throw new Error('a bundle of the simulation is a file');
  const { codePath } = workflowBundle;
  const activityNames = Object.keys(activities ?? {});
  return await simulation.whileTimeStands(() =>
    sandboxes.for({ codePath, activityNames, failingErrors: failingErrors['*'] }),
  );
}

function clientOf(
  { simulation, process, weather, clusters, onWrite }: OutsideParts,
  source: ClientSource,
  callTimeoutMs?: number,
): KubeClient {
  const cluster = source.kind === 'file' ? clusters.get(source.path) : undefined;
  if (!cluster) throw new Error(`no cluster has the kubeconfig ${JSON.stringify(source)}`);
  return new SimulatedKubeClient({
    simulation,
    process,
    weather,
    cluster,
    ...(callTimeoutMs !== undefined && { callTimeoutMs }),
    ...(onWrite && { onWrite }),
  });
}
