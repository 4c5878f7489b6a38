/**
 * The Temporal workers of the worker process: workflows, drains, and queues for each provider, each
 * with slots of its own; or those of them that the process serves.
 */
import { availableParallelism } from 'node:os';
import type { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { Context } from '@temporalio/activity';
import type { Registry } from 'prom-client';
import { RecentObjects } from '../../activities/kube/cache/recent-objects.ts';
import type { CopyLimits } from '../../activities/kube/cache/consistent-copy.ts';
import { CopiedMachineSets } from '../../activities/machine-deployment/set-lists.ts';
import { CopiedMachines } from '../../activities/machine-set/machine-lists.ts';
import { createClassReader } from '../../activities/machine-class/reader.ts';
import type { Driver } from '../../activities/drivers/driver.ts';
import { providerOf, type CreateDrivers } from '../../activities/drivers/index.ts';
import { ownTokenDirectory } from '../../activities/drivers/token-file.ts';
import type { DrainParts, DrainWatches } from '../../activities/index.ts';
import { createDrainActivities, createKubeActivities } from '../../activities/index.ts';
import { createGuard } from '../../activities/gates.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { createActivityInterceptor } from '../../activities/interceptor.ts';
import { createPlaceInterceptor } from '../../activities/place-interceptor.ts';
import { anySignal, timeoutSignal } from '../../activities/system/system.ts';
import type { StopView } from '../../activities/kube/objects/global-stop.ts';
import { createRefusals } from '../../activities/machine-class/refusals.ts';
import type { ActiveWatcher, ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import { encodingFailures, failingErrors, workflowBundleOf } from './bundle-workflows.ts';
import type { KubeClients } from '../kube/clients.ts';
import type { Config } from '../config/config.ts';
import { boundedDriver } from '../drivers/bounded-driver.ts';
import { pacedDriver } from '../drivers/paced-driver.ts';
import type { TemporalWorker, WorkerFactory } from './worker-factory.ts';
import {
  baseOptions,
  corePolls,
  drainPolls,
  driverPolls,
  workflowSlots,
} from './worker-options.ts';
import { createWorkflowRegistry } from './workflow-registry.ts';
import { closeDrainWatches, createDrainWatches } from '../kube/drain-watches.ts';
import { DriverWorkers } from './driver-workers.ts';
import { meteredDriver, registerDriverMetrics, registerPaceMetrics } from '../metrics/drivers.ts';
import { createServiceProbes } from './poller-probe.ts';
import { registerForeignTasks } from './foreign-tasks.ts';
import type { Identity } from './identity.ts';
import { ServedDeletions, inlineDeletionLimitMs } from './inline-deletions.ts';
import type { RecordParts } from '../../activities/machine/record-with-create.ts';
import { recordWithCreate } from '../../activities/machine/record-with-create.ts';
import type {
  DriverActivities,
  DriverCall,
  RecordedCreateOutcome,
} from '../../workflows/contracts/driver-activities.ts';
import type { DriverRequest } from '../../workflows/contracts/driver-contract.ts';
import { driverCalls } from '../../workflows/contracts/driver-activities.ts';
import { drainQueueOf, driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { Logger } from '../log/logger.ts';
import type { Shutdown } from '../process/shutdown.ts';
import type { WorkerVersion } from './worker-version.ts';
import { deploymentOptionsOf } from './worker-version.ts';

export interface WorkerParts {
  config: Config;
  log: Logger;
  clients: KubeClients;
  activeWatcher: ActiveWatcher;
  stop: StopView;
  pauses: ActivityDependencies['pauses'];
  identity: Identity;
  /** Of the worker that runs workflows. */
  version: WorkerVersion | undefined;
  temporal: Client;
  factory: WorkerFactory;
  createDrivers: CreateDrivers;
  copies: CopyLimits;
  /** Calls of drivers are counted here. */
  registry: Registry;
  shutdown: Pick<Shutdown, 'add' | 'signal'>;
}

export interface RunningWorkers {
  /** Resolves with the error when one of them ends unasked. */
  failed: Promise<unknown>;
  /** What their activities act on. */
  dependencies: ActivityDependencies;
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
  const dependencies = worldOf(parts, { drivers, ...copiesOf(parts) });
  const { serves } = parts.config;
  const watches = serves.drain ? drainWatchesOf(parts, dependencies) : undefined;
  // The rest of the slots is for drains that ask no cloud.
  const deletions = new ServedDeletions(Math.ceil(parts.config.concurrency.syncs * 0.8));
  const driverWorkers = startDriverWorkers(parts, { dependencies, drivers, deletions });
  // A process may be asked to end while its drivers are loaded.
  parts.shutdown.add('drivers', () => driverWorkers.stop());
  await Promise.race([driverWorkers.ready(), driverWorkers.failed.then(throwIt)]);
  parts.shutdown.signal.throwIfAborted();
  const starting = Promise.all([
    ...(serves.core ? [workflowWorker(parts, dependencies)] : []),
    ...(serves.drain ? [drainWorker(parts, dependencies, { watches, deletions })] : []),
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
    dependencies,
    failed: new Promise((resolve) => {
      for (const { run } of started) run.catch(resolve);
      void driverWorkers.failed.then(resolve);
    }),
  };
}

function drainWatchesOf(
  { temporal, log }: Parts,
  { target }: ActivityDependencies,
): DrainWatches | undefined {
  return target && createDrainWatches(target, temporal, log);
}

interface DriverParts {
  dependencies: ActivityDependencies;
  drivers: Drivers;
  deletions: ServedDeletions;
}

/**
 * A drain that ends with the deletion needs the driver, and no queue of it. Nothing else needs one:
 * reading a provider spec loads no library.
 */
function startDriverWorkers(
  parts: Parts,
  { dependencies, drivers, deletions }: DriverParts,
): DriverWorkers {
  const { serves, namespace } = parts.config;
  const isPolled = (name: string): boolean => isAmong(serves.drivers, name);
  return new DriverWorkers({
    control: parts.clients.control,
    namespace,
    drivers: new Map([...drivers].filter(([name]) => serves.drain || isPolled(name))),
    isAtOnce: (name) => isAmong(serves.driversAtOnce, name),
    async createWorkers(provider, driver) {
      if (!isPolled(provider)) return [];
      return await Promise.all(
        driverCalls.map((call) => driverWorker(parts, dependencies, { provider, driver, call })),
      );
    },
    onStart(provider, driver) {
      deletions.add(provider, driverActivities(dependencies, driver, inlineSignal));
      if (isPolled(provider)) parts.log.info({ provider }, 'serves the provider');
      else parts.log.info({ provider }, 'deletes for the provider when a drain is over');
    },
    onError: (err) => parts.log.warn({ err }, 'the MachineClasses cannot be read'),
  });
}

/** `name`: a driver may have a second one. */
function isAmong(providers: readonly string[], name: string): boolean {
  return providers.includes(providerOf(name));
}

function throwIt(error: unknown): never {
  throw error;
}

type Drivers = ReadonlyMap<string, Driver>;

function createLimitedDrivers({ config, registry, log, createDrivers }: WorkerParts): Drivers {
  const settings = {
    env: {
      ...process.env,
      MILLWRIGHT_VIRTUAL_CLOUD: config.virtualCloud,
      MILLWRIGHT_TOKEN_DIRECTORY: ownTokenDirectory(process.env, config.namespace),
    },
    ...config.drivers,
  };
  const count = registerDriverMetrics(registry);
  const report = (err: unknown, message: string): void => log.error({ err }, message);
  const paceMetrics = registerPaceMetrics(registry);
  return new Map(
    [...createDrivers(settings, config.serves.providers)].map(([provider, driver]) => {
      const metered = meteredDriver(boundedDriver(driver), provider, { count, report });
      return [provider, pacedDriver(metered, provider, paceMetrics)];
    }),
  );
}

type Copies = Pick<ActivityDependencies, 'machines' | 'machineSets'>;

/** They end with the process. */
function copiesOf({ clients, config, copies, log, shutdown }: WorkerParts): Copies {
  const options = (kind: string) => ({
    ...copies,
    control: clients.control,
    namespace: config.namespace,
    onError: (err: unknown) =>
      log.warn({ err }, `the ${kind} cannot be watched: each read lists them`),
  });
  const machines = new CopiedMachines(options('Machines'));
  shutdown.add('copy of the Machines', () => machines.close());
  const machineSets = new CopiedMachineSets(options('MachineSets'));
  shutdown.add('copy of the MachineSets', () => machineSets.close());
  return { machines, machineSets };
}

function worldOf(
  { config, log, clients, activeWatcher, stop, pauses, identity, temporal }: WorkerParts,
  { drivers, machines, machineSets }: Copies & { drivers: Drivers },
): ActivityDependencies {
  const { control, target } = clients;
  const { namespace, machine: defaults } = config;
  return {
    control,
    ...(target && { target }),
    ...(identity.target !== undefined && { targetCluster: identity.target }),
    namespace,
    leasePlace: config.leaderElection,
    defaults,
    protectsNodes: config.protectsNodes,
    classes: createClassReader({ client: control, namespace }),
    recent: new RecentObjects(control),
    machines,
    machineSets,
    activeWatcher,
    stop,
    pauses,
    commandsBy: config.commandsBy,
    audit: (entry) => log.info({ audit: entry }, `${entry.verb} ${entry.object}`),
    workflows: createWorkflowRegistry({
      temporal,
      namespace,
      identity,
      timeouts: config.timeouts,
      creationTimeoutSeconds: config.machine.creationTimeoutSeconds,
    }),
    ...createServiceProbes({
      temporal,
      taskQueue: identity.taskQueue,
      serves: config.serves,
    }),
    specFaults: (provider, providerSpec) => drivers.get(provider)?.validate(providerSpec) ?? [],
    refusals: createRefusals(control),
  };
}

async function workflowWorker(
  parts: Parts,
  dependencies: ActivityDependencies,
): Promise<TemporalWorker> {
  const { workflowBundle, concurrency, temporal } = parts.config;
  const { taskQueue } = parts.identity;
  const bundle = await workflowBundleOf(workflowBundle);
  return await parts.factory.create({
    ...baseOptions(parts.config),
    ...corePolls,
    ...deploymentOptionsOf(parts.version),
    interceptors: { activity: parts.interceptors.usual },
    taskQueue,
    workflowBundle: temporal.payloadKeys ? await encodingFailures(bundle) : bundle,
    activities: createKubeActivities(dependencies),
    workflowFailureErrorTypes: failingErrors,
    maxCachedWorkflows: concurrency.maxCachedWorkflows,
    ...workflowSlots(availableParallelism()),
    // How long a task waits for the worker that had the workflow last, when that worker is dead
    // (docs/decisions/0002-recovery.md).
    stickyQueueScheduleToStartTimeout: '1s',
  });
}

function drainWorker(
  parts: Parts,
  dependencies: ActivityDependencies,
  drains: DrainParts,
): Promise<TemporalWorker> {
  return parts.factory.create({
    ...baseOptions(parts.config),
    ...drainPolls,
    interceptors: { activity: parts.interceptors.drains },
    taskQueue: drainQueueOf(parts.identity.taskQueue),
    activities: createDrainActivities(dependencies, drains),
  });
}

function driverWorker(
  parts: Parts,
  dependencies: ActivityDependencies,
  { provider, driver, call }: { provider: string; driver: Driver; call: DriverCall },
): Promise<TemporalWorker> {
  const activities = driverActivities(dependencies, driver, cancellation);
  const mayRecord = call === 'create' && parts.config.serves.core;
  const { usual, creates } = parts.interceptors;
  return parts.factory.create({
    ...baseOptions(parts.config),
    ...driverPolls,
    interceptors: { activity: call === 'create' ? creates : usual },
    taskQueue: driverQueueOf(parts.identity.taskQueue, provider, call),
    activities: mayRecord ? recording(dependencies, activities) : activities,
  });
}

/** Their create ends with the ids of its instance on the Machine. */
function recording<Activities extends Pick<DriverActivities, 'createInstance'>>(
  dependencies: ActivityDependencies,
  activities: Activities,
) {
  const recordParts: RecordParts = {
    steps: createKubeActivities(dependencies),
    usesTarget: dependencies.target !== undefined,
    isCancelled: () => cancellation().aborted,
    warn: (error) => Context.current().log.warn('the Machine is not recorded yet', { error }),
  };
  return {
    ...activities,
    createInstance: async (request: DriverRequest): Promise<RecordedCreateOutcome> =>
      await recordWithCreate(recordParts, request, await activities.createInstance(request)),
  };
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
    audit: dependencies.audit,
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
