/**
 * The Temporal workers of the worker process: workflows, drains, and a queue for each provider,
 * each with slots of its own.
 */
import { availableParallelism } from 'node:os';
import type { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory, WorkerOptions } from '@temporalio/worker';
import { Context } from '@temporalio/activity';
import type { Registry } from 'prom-client';
import { RecentObjects } from '../../activities/kube/cache/recent-objects.ts';
import type { CopyLimits } from '../../activities/kube/cache/consistent-copy.ts';
import { CopiedMachines } from '../../activities/machine-set/machine-lists.ts';
import { createClassReader } from '../../activities/machine-class/reader.ts';
import type { Driver } from '../../activities/drivers/driver.ts';
import type { DriverSettings } from '../../activities/drivers/settings.ts';
import { createDrainActivities, createKubeActivities } from '../../activities/index.ts';
import { createGuard } from '../../activities/gates.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { createActivityInterceptor } from '../../activities/interceptor.ts';
import { createPlaceInterceptor } from '../../activities/place-interceptor.ts';
import { anySignal, timeoutSignal } from '../../activities/system/system.ts';
import type { StopView } from '../../activities/kube/objects/global-stop.ts';
import { createRefusals } from '../../activities/machine-class/refusals.ts';
import type {
  ActiveWatcher,
  ActivityDependencies,
  MachineLists,
} from '../../activities/runtime/dependencies.ts';
import { failingErrors, workflowBundleOf } from './bundle-workflows.ts';
import type { KubeClients } from '../kube/clients.ts';
import type { Config } from '../config/config.ts';
import { boundedDriver } from '../drivers/bounded-driver.ts';
import { pacedDriver } from '../drivers/paced-driver.ts';
import type { TemporalWorker, WorkerFactory } from './worker-factory.ts';
import { createWorkflowRegistry } from './workflow-registry.ts';
import { closeDrainWatches, createDrainWatches } from '../kube/drain-watches.ts';
import { DriverWorkers } from './driver-workers.ts';
import { meteredDriver, registerDriverMetrics, registerPaceMetrics } from '../metrics/drivers.ts';
import { createDriverProbe } from './driver-probe.ts';
import { registerForeignTasks } from './foreign-tasks.ts';
import type { Identity } from './identity.ts';
import { ServedDeletions, inlineDeletionLimitMs } from './inline-deletions.ts';
import type { DriverCall } from '../../workflows/contracts/driver-activities.ts';
import { driverCalls } from '../../workflows/contracts/driver-activities.ts';
import { drainQueueOf, driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { Logger } from '../log/logger.ts';
import type { Shutdown } from '../process/shutdown.ts';

export interface WorkerParts {
  config: Config;
  log: Logger;
  clients: KubeClients;
  activeWatcher: ActiveWatcher;
  stop: StopView;
  pauses: ActivityDependencies['pauses'];
  identity: Identity;
  temporal: Client;
  factory: WorkerFactory;
  createDrivers(settings: DriverSettings): ReadonlyMap<string, Driver>;
  copies: CopyLimits;
  /** Calls of drivers are counted here. */
  registry: Registry;
  shutdown: Pick<Shutdown, 'add' | 'signal'>;
}

export interface RunningWorkers {
  /** Resolves with the error when one of them ends unasked. */
  failed: Promise<unknown>;
}

interface Interceptors {
  usual: ActivityInterceptorsFactory[];
  drains: ActivityInterceptorsFactory[];
  creates: ActivityInterceptorsFactory[];
}

type Parts = WorkerParts & { interceptors: Interceptors };

/** They end with the process. */
export async function startWorkers(given: WorkerParts): Promise<RunningWorkers> {
  const parts: Parts = { ...given, interceptors: interceptorsOf(given) };
  const drivers = createLimitedDrivers(parts);
  const dependencies = worldOf(parts, { drivers, machines: copyMachines(parts) });
  const watches =
    dependencies.target && createDrainWatches(dependencies.target, parts.temporal, parts.log);
  // The rest of the slots is for drains that ask no cloud.
  const deletions = new ServedDeletions(Math.ceil(parts.config.concurrency.syncs * 0.8));
  const driverWorkers = new DriverWorkers({
    control: parts.clients.control,
    namespace: parts.config.namespace,
    drivers,
    createWorkers: (provider, driver) =>
      Promise.all(
        driverCalls.map((call) => driverWorker(parts, dependencies, { provider, driver, call })),
      ),
    onStart(provider, driver) {
      deletions.add(provider, driverActivities(dependencies, driver, inlineSignal));
      parts.log.info({ provider }, 'serves the provider');
    },
    onError: (err) => parts.log.warn({ err }, 'the MachineClasses cannot be read'),
  });
  // A process may be asked to end while its drivers are loaded.
  parts.shutdown.add('drivers', () => driverWorkers.stop());
  await Promise.race([driverWorkers.ready(), driverWorkers.failed.then(throwIt)]);
  parts.shutdown.signal.throwIfAborted();
  const starting = Promise.all([
    workflowWorker(parts, dependencies),
    parts.factory.create({
      ...baseOptions(parts),
      interceptors: { activity: parts.interceptors.drains },
      taskQueue: drainQueueOf(parts.identity.taskQueue),
      activities: createDrainActivities(dependencies, { watches, deletions }),
    }),
  ]).then((workers) => workers.map((worker) => ({ worker, run: worker.run() })));
  // Before they are there: a process that ends now has to wait for them, because a connection
  // cannot be closed while a worker has it.
  parts.shutdown.add('workers', async () => {
    const started = await starting;
    for (const { worker } of started) worker.shutdown();
    await Promise.allSettled([...started.map(({ run }) => run), driverWorkers.stop()]);
    if (watches) await closeDrainWatches(watches);
  });
  const started = await starting;
  return {
    failed: new Promise((resolve) => {
      for (const { run } of started) run.catch(resolve);
      void driverWorkers.failed.then(resolve);
    }),
  };
}

function throwIt(error: unknown): never {
  throw error;
}

type Drivers = ReadonlyMap<string, Driver>;

function createLimitedDrivers({ config, registry, log, createDrivers }: WorkerParts): Drivers {
  const settings = {
    env: { ...process.env, MILLWRIGHT_VIRTUAL_CLOUD: config.virtualCloud },
    ...config.drivers,
  };
  const count = registerDriverMetrics(registry);
  const report = (err: unknown, message: string): void => log.error({ err }, message);
  const paceMetrics = registerPaceMetrics(registry);
  return new Map(
    [...createDrivers(settings)].map(([provider, driver]) => {
      const metered = meteredDriver(boundedDriver(driver), provider, { count, report });
      return [provider, pacedDriver(metered, provider, paceMetrics)];
    }),
  );
}

/** It ends with the process. */
function copyMachines({ clients, config, copies, log, shutdown }: WorkerParts): MachineLists {
  const machines = new CopiedMachines({
    ...copies,
    control: clients.control,
    namespace: config.namespace,
    onError: (err) => log.warn({ err }, 'the Machines cannot be watched: each read lists them'),
  });
  shutdown.add('copy of the Machines', () => machines.close());
  return machines;
}

function worldOf(
  { config, clients, activeWatcher, stop, pauses, identity, temporal }: WorkerParts,
  { drivers, machines }: { drivers: Drivers; machines: MachineLists },
): ActivityDependencies {
  const { control, target } = clients;
  const { namespace, machine: defaults } = config;
  return {
    control,
    ...(target && { target }),
    ...(identity.target !== undefined && { targetCluster: identity.target }),
    namespace,
    leaseNamespace: config.leaderElection.resourceNamespace,
    defaults,
    protectsNodes: config.protectsNodes,
    classes: createClassReader({ client: control, namespace }),
    recent: new RecentObjects(control),
    machines,
    activeWatcher,
    stop,
    pauses,
    workflows: createWorkflowRegistry({
      temporal,
      namespace,
      identity,
      timeouts: config.timeouts,
    }),
    hasDriver: createDriverProbe({ temporal, taskQueue: identity.taskQueue }),
    specFaults: (provider, providerSpec) => drivers.get(provider)?.validate(providerSpec) ?? [],
    refusals: createRefusals(control),
  };
}

async function workflowWorker(
  parts: Parts,
  dependencies: ActivityDependencies,
): Promise<TemporalWorker> {
  const { workflowBundle, concurrency } = parts.config;
  const { taskQueue } = parts.identity;
  return await parts.factory.create({
    ...baseOptions(parts),
    taskQueue,
    workflowBundle: await workflowBundleOf(workflowBundle),
    activities: createKubeActivities(dependencies),
    workflowFailureErrorTypes: failingErrors,
    maxCachedWorkflows: concurrency.maxCachedWorkflows,
    ...workflowSlots(availableParallelism()),
    // How long a task waits for the worker that had the workflow last, when that worker is dead
    // (docs/decisions/0002-recovery.md).
    stickyQueueScheduleToStartTimeout: '1s',
  });
}

/**
 * A process accepts no more workflow tasks than it can finish before the server gives them to
 * another worker: with 200 slots on two cores 500 machines took five times as long, because most
 * of their tasks expired and ran twice. A core finishes some 18 tasks a second, and a task may take
 * 4 s: slots <= tasks a second x 4 s / 2 leaves room for a neighbour that takes half of the core.
 * A local activity holds the slot of its workflow task, so fewer of them run at once.
 *
 * @param cores As the cgroup grants them; `availableParallelism` counts them so.
 */
export function workflowSlots(cores: number) {
  return {
    maxConcurrentWorkflowTaskExecutions: 20 * cores,
    maxConcurrentLocalActivityExecutions: 8 * cores,
  };
}

function driverWorker(
  parts: Parts,
  dependencies: ActivityDependencies,
  { provider, driver, call }: { provider: string; driver: Driver; call: DriverCall },
): Promise<TemporalWorker> {
  return parts.factory.create({
    ...baseOptions(parts),
    ...(call === 'create' && { interceptors: { activity: parts.interceptors.creates } }),
    taskQueue: driverQueueOf(parts.identity.taskQueue, provider, call),
    activities: driverActivities(dependencies, driver, cancellation),
  });
}

/** Of the activity that runs. */
const cancellation = (): AbortSignal => Context.current().cancellationSignal;

const inlineSignal = (): AbortSignal =>
  anySignal([cancellation(), timeoutSignal(inlineDeletionLimitMs)]);

function driverActivities(
  dependencies: ActivityDependencies,
  driver: Driver,
  signal: () => AbortSignal,
): ReturnType<typeof createDriverActivities> {
  const { control, target, classes } = dependencies;
  return createDriverActivities({
    driver,
    control,
    ...(target && { target }),
    classes,
    signal,
    isShuttingDown: () => Context.current().cancellationDetails?.workerShutdown ?? false,
    guard: createGuard(dependencies),
  });
}

/** Commands to a drain cancel it: it is to hear of them soon. */
const drainPeriodMs = 2_000;
/** A deletion waits for a create that it cancels. */
const createPeriodMs = 1_000;

function interceptorsOf({ config, identity, registry, log }: WorkerParts): Interceptors {
  const ours = { cluster: identity.cluster, namespace: config.namespace };
  const handBack = createPlaceInterceptor(ours, registerForeignTasks(registry, log));
  return {
    usual: [handBack, createActivityInterceptor()],
    drains: [handBack, createActivityInterceptor({ longestPeriodMs: drainPeriodMs })],
    creates: [handBack, createActivityInterceptor({ longestPeriodMs: createPeriodMs })],
  };
}

function baseOptions({
  config,
  interceptors,
}: Parts): Omit<WorkerOptions, 'taskQueue' | 'connection'> {
  return {
    namespace: config.temporal.namespace,
    identity: config.identity,
    maxConcurrentActivityTaskExecutions: config.concurrency.syncs,
    interceptors: { activity: interceptors.usual },
    // Heartbeats come as the interceptor sends them, and with what a drain has to report.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    shutdownGraceTime: `${Math.max(config.shutdownGraceSeconds - 5, 1)}s`,
    shutdownForceTime: `${Math.max(config.shutdownGraceSeconds - 2, 2)}s`,
  };
}
