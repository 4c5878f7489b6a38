/**
 * The Temporal workers of the worker process: workflows, drains, and queues for each provider, each
 * with slots of its own; or those of them that the process serves. They are shared by all its
 * namespaces: each activity goes to those of its own.
 */
import { availableParallelism } from 'node:os';
import { Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory, WorkerOptions, WorkerTuner } from '@temporalio/worker';
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import { providerOf } from '../../activities/drivers/index.ts';
import {
  drainActivityNames,
  driverActivityNames,
  kubeActivityNames,
} from '../../activities/gates.ts';
import { createActivityInterceptor } from '../../activities/interceptor.ts';
import type { Rejection } from '../../activities/place-interceptor.ts';
import { createPlaceInterceptor } from '../../activities/place-interceptor.ts';
import type { Slots } from '../../activities/slow-namespaces.ts';
import { createSlowNamespaces } from '../../activities/slow-namespaces.ts';
import { routed } from '../../activities/routed.ts';
import { encodingFailures, failingErrors, workflowBundleOf } from './bundle-workflows.ts';
import type { Config } from '../config/config.ts';
import type { TemporalWorker, WorkerFactory } from './worker-factory.ts';
import { DriverWorkers } from './driver-workers.ts';
import type { ServedDeletions } from './inline-deletions.ts';
import type { Drivers } from './process-drivers.ts';
import { shutDown } from './shut-down.ts';
import type { ActivitiesByNamespace } from './activities-by-namespace.ts';
import type { DriverCall } from '../../workflows/contracts/driver-activities.ts';
import { driverCalls } from '../../workflows/contracts/driver-activities.ts';
import type { InstallActivities } from '../../workflows/contracts/safety-activities.ts';
import { drainQueueOf, driverQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { Logger } from '../log/logger.ts';
import type { Shutdown } from '../process/shutdown.ts';
import { noTraceSinks } from '../traces/no-traces.ts';
import type { Tracing } from '../traces/tracing.ts';
import type { WorkerVersion } from './worker-version.ts';
import { deploymentOptionsOf } from './worker-version.ts';
import { WorkflowSlotSupplier, registerWorkflowSlots } from './workflow-slot-supplier.ts';
import { after } from '../../activities/system/system.ts';

type CheckNamespaces = InstallActivities['checkNamespaces'];

interface Rounds {
  check(input: Parameters<CheckNamespaces>[0], signal: AbortSignal): ReturnType<CheckNamespaces>;
}

export interface WorkerParts {
  config: Config;
  log: Logger;
  /** Of the workflows. */
  taskQueue: string;
  factory: WorkerFactory;
  activities: ActivitiesByNamespace;
  /** Served from the first MachineClass on, see `createDriverWorkers`. */
  driverWorkers: DriverWorkers;
  interceptors: ActivityInterceptorsFactory[];
  shutdown: Pick<Shutdown, 'add' | 'signal'>;
  /** Absent: there are none. */
  traces?: Tracing | undefined;
}

export interface StartParts extends WorkerParts {
  registry: Registry;
  /** Of the namespaces of the process. */
  rounds: Rounds;
  /** Of the worker that runs workflows. */
  version: WorkerVersion | undefined;
}

export interface RunningWorkers {
  /** Resolves with the error when one of them ends unasked. */
  failed: Promise<unknown>;
}

/** They end with the process. */
export async function startWorkers(parts: StartParts): Promise<RunningWorkers> {
  const { driverWorkers } = parts;
  const { serves } = parts.config;
  await Promise.race([driverWorkers.ready(), driverWorkers.failed.then(throwIt)]);
  parts.shutdown.signal.throwIfAborted();
  const starting = Promise.all([
    ...(serves.core ? [workflowWorker(parts)] : []),
    ...(serves.drain ? [drainWorker(parts)] : []),
  ]).then((workers) => workers.map((worker) => ({ worker, run: worker.run() })));
  // Before they are there: a process that ends now has to wait for them, because a connection
  // cannot be closed while a worker has it.
  parts.shutdown.add('workers', async () => {
    const started = await starting;
    shutDown(started.map(({ worker }) => worker));
    await Promise.allSettled([...started.map(({ run }) => run), driverWorkers.stop()]);
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

export interface DriverWorkerParts extends Pick<
  WorkerParts,
  'config' | 'log' | 'taskQueue' | 'factory' | 'activities' | 'interceptors'
> {
  drivers: Drivers;
  deletions: ServedDeletions;
}

/**
 * A drain that ends with the deletion needs the driver, and no queue of it. Nothing else needs one:
 * reading a provider spec loads no library.
 */
export function createDriverWorkers(parts: DriverWorkerParts): DriverWorkers {
  const { drivers, deletions, activities } = parts;
  const { serves } = parts.config;
  const isPolled = (name: string): boolean => isAmong(serves.drivers, name);
  return new DriverWorkers({
    drivers: new Map([...drivers].filter(([name]) => serves.drain || isPolled(name))),
    isAtOnce: (name) => isAmong(serves.driversAtOnce, name),
    async createWorkers(provider) {
      if (!isPolled(provider)) return [];
      return await Promise.all(driverCalls.map((call) => driverWorker(parts, provider, call)));
    },
    onStart(provider) {
      deletions.add(provider, {
        deleteInstance: (request) =>
          activities.current().inlineDriver(provider).deleteInstance(request),
      });
      if (isPolled(provider)) parts.log.info({ provider }, 'serves the provider');
      else parts.log.info({ provider }, 'deletes for the provider when a drain is over');
    },
  });
}

/** `name`: a driver may have a second one. */
function isAmong(providers: readonly string[], name: string): boolean {
  return providers.includes(providerOf(name));
}

async function workflowWorker(parts: StartParts): Promise<TemporalWorker> {
  const { workflowBundle, concurrency, temporal, timeouts } = parts.config;
  const bundle = await workflowBundleOf(workflowBundle);
  const cores = availableParallelism();
  const timeoutMs = timeouts.workflowTaskSeconds * 1_000;
  const slots = new WorkflowSlotSupplier({ ...workflowSlots(cores), timeoutMs });
  registerWorkflowSlots(parts.registry, slots);
  const activitySlots = { regular: concurrency.syncs, local: localActivitySlots(cores) };
  return await parts.factory.create({
    ...baseOptions(parts.config),
    ...corePolls,
    ...deploymentOptionsOf(parts.version),
    interceptors: { activity: [...parts.interceptors, createSlowNamespaces(activitySlots)] },
    sinks: parts.traces?.sinks ?? noTraceSinks,
    taskQueue: parts.taskQueue,
    workflowBundle: temporal.payloadKeys ? await encodingFailures(bundle) : bundle,
    activities: {
      ...routed(kubeActivityNames, () => parts.activities.current().kube),
      ...installActivities(parts.rounds),
    },
    workflowFailureErrorTypes: failingErrors,
    maxCachedWorkflows: concurrency.maxCachedWorkflows,
    tuner: workflowTuner(slots, activitySlots),
    // How long a task waits for the worker that had the workflow last, when that worker is dead
    // (docs/decisions/0002-recovery.md).
    stickyQueueScheduleToStartTimeout: timeoutMs,
  });
}

function installActivities(rounds: Rounds): InstallActivities {
  return {
    checkNamespaces: (input) => rounds.check(input, Context.current().cancellationSignal),
  };
}

function drainWorker(parts: WorkerParts): Promise<TemporalWorker> {
  return parts.factory.create({
    ...activityWorkerOptions(parts.config),
    ...drainPolls,
    interceptors: { activity: parts.interceptors },
    taskQueue: drainQueueOf(parts.taskQueue),
    activities: routed(drainActivityNames, () => parts.activities.current().drain),
  });
}

function driverWorker(
  parts: DriverWorkerParts,
  provider: string,
  call: DriverCall,
): Promise<TemporalWorker> {
  const { concurrency, withWatcher } = parts.config;
  // As many creates again may wait for their Nodes.
  const regular = concurrency.syncs * (withWatcher && call === 'create' ? 2 : 1);
  return parts.factory.create({
    ...activityWorkerOptions(parts.config),
    ...driverPolls,
    maxConcurrentActivityTaskExecutions: regular,
    interceptors: { activity: [...parts.interceptors, createSlowNamespaces({ regular })] },
    taskQueue: driverQueueOf(parts.taskQueue, provider, call),
    activities: routed(driverActivityNames, () => parts.activities.current().driver(provider)),
  });
}

export function createInterceptors(
  activities: ActivitiesByNamespace,
  { registry, log, traces }: { registry: Registry; log: Logger; traces?: Tracing | undefined },
): ActivityInterceptorsFactory[] {
  const handBack = createPlaceInterceptor(activities, registerExternalTasks(registry, log));
  const timeouts = createTimeoutCounter(registry);
  const traced = traces ? [traces.activities] : [];
  return [timeouts, handBack, ...traced, createActivityInterceptor()];
}

/** How a worker shows that it was given tasks of other installs. */
export function registerExternalTasks(
  registry: Registry,
  log: Logger,
): (rejection: Rejection) => void {
  const tasks = new Counter({
    name: 'millwright_foreign_tasks_total',
    help: 'Tasks of other clusters or namespaces that this worker was given, and handed back.',
    labelNames: ['activity'],
    registers: [registry],
  });
  return (rejection) => {
    tasks.inc({ activity: rejection.activity });
    log.warn({ ...rejection }, 'a task of another install was handed back');
  };
}

/**
 * Temporal tries them again, and the worker does not hear of it. Also of one that never ends; not
 * of a worker that is gone.
 */
export function createTimeoutCounter(registry: Registry): ActivityInterceptorsFactory {
  const timedOut = new Counter({
    name: 'millwright_activities_timed_out_total',
    help: 'Attempts of activities that took longer than their limit.',
    labelNames: ['activity'],
    registers: [registry],
  });
  return ({ info: { activityType: activity, startToCloseTimeoutMs } }) => ({
    inbound: {
      async execute(input, next) {
        if (startToCloseTimeoutMs <= 0) return await next(input);
        const limit = after(startToCloseTimeoutMs, () => timedOut.inc({ activity }), {
          keepsAlive: false,
        });
        try {
          return await next(input);
        } finally {
          limit.cancel();
        }
      },
    },
  });
}

type WorkerSettings = Pick<Config, 'temporal' | 'identity' | 'shutdownGraceSeconds'>;

function baseOptions({
  temporal,
  identity,
  shutdownGraceSeconds,
}: WorkerSettings): Omit<WorkerOptions, 'taskQueue' | 'connection'> {
  return {
    namespace: temporal.namespace,
    identity,
    // Heartbeats come as the interceptor sends them, and with what a drain has to report.
    maxHeartbeatThrottleInterval: '1s',
    defaultHeartbeatThrottleInterval: '1s',
    shutdownGraceTime: `${Math.max(shutdownGraceSeconds - 5, 1)}s`,
    shutdownForceTime: `${Math.max(shutdownGraceSeconds - 2, 2)}s`,
  };
}

/** Of a worker whose activities are no local ones. */
export function activityWorkerOptions(settings: WorkerSettings & Pick<Config, 'concurrency'>) {
  return {
    ...baseOptions(settings),
    maxConcurrentActivityTaskExecutions: settings.concurrency.syncs,
  };
}

/**
 * A process accepts no more workflow tasks than it can finish before the server gives them to
 * another worker: with 200 slots on two cores 500 machines took five times as long, because most
 * of their tasks expired and ran twice. A core finishes some 18 tasks a second, and a task may take
 * 4 s: slots <= tasks a second x 4 s / 2 leaves room for a neighbour that takes half of the core.
 * `WorkflowSlotSupplier` takes slots away from a core that is slower than that.
 *
 * @param cores As the cgroup grants them; `availableParallelism` counts them so.
 */
export function workflowSlots(cores: number) {
  return { most: 20 * cores, fewest: 4 * cores };
}

/** A local activity holds the slot of its workflow task, so fewer of them run at once. */
export function localActivitySlots(cores: number): number {
  return 8 * cores;
}

export function workflowTuner(
  supplier: WorkflowSlotSupplier,
  { regular, local }: Required<Slots>,
): WorkerTuner {
  return {
    workflowTaskSlotSupplier: supplier,
    localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: local },
    activityTaskSlotSupplier: { type: 'fixed-size', numSlots: regular },
    nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
  };
}

/**
 * Long polls that a worker holds open for each of its queues, however idle it is. The SDK's ten for
 * each of three queues of each provider would be most of the calls that are open in a process. With
 * a round trip of 20 ms two polls fetch 100 tasks a second, more than a cloud is asked. Many drains
 * begin at once.
 *
 * Not those that scale themselves (`autoscaling`): they begin with few and came to 55 under load,
 * and each scale-in of 100 machines took longer than each with ten.
 */
const driverPolls = pollsOfActivities(2);
const drainPolls = pollsOfActivities(5);
/** Most activities of the core are local ones. */
export const corePolls = pollsOfActivities(5);

function pollsOfActivities(maximum: number): Pick<WorkerOptions, 'activityTaskPollerBehavior'> {
  return { activityTaskPollerBehavior: { type: 'simple-maximum', maximum } };
}
