/** The Temporal workers of the worker process: workflows, drains, and a queue for each provider, each with slots of its own. */
import type { Client } from '@temporalio/client';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { Context } from '@temporalio/activity';
import type { Registry } from 'prom-client';
import { RecentObjects } from '../activities/kube/recent-objects.ts';
import { createClassReader } from '../activities/class-reader.ts';
import type { Driver } from '../activities/drivers/driver.ts';
import { builtInDrivers } from '../activities/drivers/index.ts';
import { createDrainActivities, createKubeActivities } from '../activities/index.ts';
import { createDriverActivities } from '../activities/instance.ts';
import { createActivityInterceptor } from '../activities/interceptor.ts';
import type { GlobalStop } from '../activities/kube/global-stop.ts';
import { requireLicence } from '../activities/licence.ts';
import { createRefusals } from '../activities/machine-class/refusals.ts';
import { machineSubject } from '../activities/machine/object.ts';
import type { Licence, World } from '../activities/world.ts';
import { bundleOptions, failingErrors } from './bundle-workflows.ts';
import type { KubeClients } from './clients.ts';
import type { Config } from './config.ts';
import { createEntityBoard } from './entity-board.ts';
import { closeDrainWatches, createDrainWatches } from './drain-watches.ts';
import { meteredDriver, registerDriverMetrics } from './driver-metrics.ts';
import { createDriverProbe } from './driver-probe.ts';
import type { Logger } from './logger.ts';

export interface WorkerParts {
  config: Config;
  log: Logger;
  clients: KubeClients;
  licence: Licence;
  stop: GlobalStop;
  /** UID of the control cluster. */
  cluster: string;
  temporal: Client;
  connection: NativeConnection;
  /** Calls of drivers are counted here. */
  registry: Registry;
}

export interface RunningWorkers {
  /** Resolves with the error when one of them ends unasked. */
  failed: Promise<unknown>;
  stop(): Promise<void>;
}

export async function startWorkers(parts: WorkerParts): Promise<RunningWorkers> {
  const drivers = createDrivers(parts);
  const world = worldOf(parts, drivers);
  const watches = world.target && createDrainWatches(world.target, parts.temporal, parts.log);
  const workers = await Promise.all([
    workflowWorker(parts, world),
    Worker.create({
      ...baseOptions(parts),
      taskQueue: `${parts.config.taskQueue}-drain`,
      activities: createDrainActivities(world, watches),
    }),
    ...[...drivers].map(([provider, driver]) => driverWorker(parts, world, { provider, driver })),
  ]);
  const runs = workers.map((worker) => worker.run());
  return {
    failed: new Promise((resolve) => {
      for (const run of runs) run.catch(resolve);
    }),
    async stop() {
      for (const worker of workers) worker.shutdown();
      await Promise.allSettled(runs);
      if (watches) await closeDrainWatches(watches);
    },
  };
}

type Drivers = ReadonlyMap<string, Driver>;

function createDrivers({ config, registry, log }: WorkerParts): Drivers {
  const settings = {
    env: { ...process.env, MILLWRIGHT_VIRTUAL_CLOUD: config.virtualCloud },
    allowsAmbientCredentials: config.allowsAmbientCredentials,
  };
  const tell = registerDriverMetrics(registry);
  const report = (err: unknown, message: string): void => log.error({ err }, message);
  return new Map(
    Object.entries(builtInDrivers).map(([provider, create]) => [
      provider,
      meteredDriver(create(settings), provider, { tell, report }),
    ]),
  );
}

function worldOf(
  { config, clients, licence, stop, cluster, temporal }: WorkerParts,
  drivers: Drivers,
): World {
  const { control, target } = clients;
  const { namespace, machine: defaults } = config;
  return {
    control,
    ...(target && { target }),
    namespace,
    defaults,
    protectsNodes: config.protectsNodes,
    classes: createClassReader({ client: control, namespace }),
    recent: new RecentObjects(control),
    licence,
    stop,
    entities: createEntityBoard({ temporal, namespace, cluster, taskQueue: config.taskQueue }),
    hasDriver: createDriverProbe({ temporal, taskQueue: config.taskQueue }),
    specFaults: (provider, providerSpec) => drivers.get(provider)?.validate(providerSpec) ?? [],
    refusals: createRefusals(control),
  };
}

function workflowWorker(parts: WorkerParts, world: World): Promise<Worker> {
  const { taskQueue, workflowBundle, concurrency } = parts.config;
  const { workflowsPath, preloadModules } = bundleOptions;
  return Worker.create({
    ...baseOptions(parts),
    taskQueue,
    ...(workflowBundle === undefined
      ? { workflowsPath, bundlerOptions: { preloadModules } }
      : { workflowBundle: { codePath: workflowBundle } }),
    activities: createKubeActivities(world),
    workflowFailureErrorTypes: failingErrors,
    maxCachedWorkflows: concurrency.maxCachedWorkflows,
    // A local activity holds the slot of its workflow task while it waits for one of its own. Few of them at once are quick; all at
    // once they would share the CPU until they expire.
    maxConcurrentWorkflowTaskExecutions: 200,
    maxConcurrentLocalActivityExecutions: 32,
    // How long a task waits for the worker that had the workflow last, when that worker is dead
    // (docs/decisions/0002-recovery.md).
    stickyQueueScheduleToStartTimeout: '1s',
  });
}

function driverWorker(
  parts: WorkerParts,
  world: World,
  { provider, driver }: { provider: string; driver: Driver },
): Promise<Worker> {
  const { control, target, classes } = world;
  return Worker.create({
    ...baseOptions(parts),
    taskQueue: `${parts.config.taskQueue}-driver-${provider}`,
    activities: createDriverActivities({
      driver,
      control,
      ...(target && { target }),
      classes,
      signal: () => Context.current().cancellationSignal,
      requireLicence: (machine) => requireLicence(world, machine && machineSubject(machine)),
    }),
  });
}

function baseOptions({ config, connection }: WorkerParts): Omit<WorkerOptions, 'taskQueue'> {
  return {
    connection,
    namespace: config.temporal.namespace,
    identity: config.identity,
    maxConcurrentActivityTaskExecutions: config.concurrency.syncs,
    interceptors: { activity: [createActivityInterceptor()] },
    // The heartbeat timeout is 4 s.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    shutdownGraceTime: `${Math.max(config.shutdownGraceSeconds - 5, 1)}s`,
    shutdownForceTime: `${Math.max(config.shutdownGraceSeconds - 2, 2)}s`,
  };
}
