/** Makes the activities of one namespace. */
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { RecentObjects } from '../../kube/cache/recent-objects.ts';
import type { CopyLimits } from '../../kube/cache/consistent-copy.ts';
import { CopiedMachineSets } from '../../activities/machine-deployment/set-lists.ts';
import { CopiedMachines } from '../../activities/machine-set/machine-lists.ts';
import { createClassReader } from '../../activities/machine-class/reader.ts';
import type { Driver } from '../../activities/drivers/driver.ts';
import type { DrainParts } from '../../activities/index.ts';
import { createDrainActivities, createKubeActivities } from '../../activities/index.ts';
import type { DriverQueueActivities } from '../../activities/gates.ts';
import { createGuard } from '../../activities/gates.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { anySignal, timeoutSignal } from '../../activities/system/system.ts';
import type { StopView } from '../../kube/objects/global-stop.ts';
import { createMemory } from '../../activities/runtime/memory.ts';
import type { WrittenMachines } from '../../activities/runtime/written-machines.ts';
import { createRefusals } from '../../activities/machine-class/refusals.ts';
import type { ActiveWatcher, ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import type { RecordParts } from '../../activities/machine/record-with-create.ts';
import { recordWithCreate } from '../../activities/machine/record-with-create.ts';
import type { RecordedCreateOutcome } from '../../workflows/contracts/driver-activities.ts';
import type { DriverRequest } from '../../workflows/contracts/driver-contract.ts';
import type { KubeClients } from '../kube/clients.ts';
import type { Config } from '../config/config.ts';
import { auditLine } from '../log/audit-line.ts';
import type { Logger } from '../log/logger.ts';
import { secretValues } from '../log/scrubbing.ts';
import type { Shutdown } from '../process/shutdown.ts';
import type { Identity } from './identity.ts';
import { inlineDeletionLimitMs } from './inline-deletions.ts';
import type { ServiceProbes } from './poller-probe.ts';
import type { Drivers } from './process-drivers.ts';
import { createWorkflowRegistry } from './workflow-registry.ts';
import type { World } from './worlds.ts';

export interface WorldParts {
  config: Config;
  log: Logger;
  namespace: string;
  clients: Pick<KubeClients, 'control' | 'target'>;
  activeWatcher: ActiveWatcher;
  stop: StopView;
  pauses: ActivityDependencies['pauses'];
  identity: Identity;
  temporal: Client;
  copies: CopyLimits;
  /** Of the process. */
  written: WrittenMachines;
  /** Of the namespace. */
  drivers: Drivers;
  services: ServiceProbes;
  drains: DrainParts;
  /** What the world opens ends with it. */
  scope: Pick<Shutdown, 'add'>;
}

export interface OpenWorld {
  world: World;
  /** What its activities act on. */
  dependencies: ActivityDependencies;
}

export function openWorld(parts: WorldParts): OpenWorld {
  const { config, drivers, drains } = parts;
  const dependencies = dependenciesOf(parts);
  const kube = createKubeActivities(dependencies);
  const recordParts: RecordParts = {
    steps: kube,
    usesTarget: dependencies.target !== undefined,
    isCancelled: () => cancellation().aborted,
    warn: (error) => Context.current().log.warn('the Machine is not recorded yet', { error }),
  };
  const drivenBy = (provider: string, signal: () => AbortSignal): DriverQueueActivities => {
    const driver = drivers.get(provider);
    if (!driver) throw new Error(`this process has no driver for provider ${provider}`);
    return driverActivities(dependencies, { provider, driver, signal });
  };
  const queues = new Map<string, DriverQueueActivities>();
  const inline = new Map<string, DriverQueueActivities>();
  const world: World = {
    kube,
    drain: createDrainActivities(dependencies, drains),
    driver: once(queues, (provider) => {
      const activities = drivenBy(provider, cancellation);
      return config.serves.core ? recording(recordParts, activities) : activities;
    }),
    inlineDriver: once(inline, (provider) => drivenBy(provider, inlineSignal)),
  };
  return { world, dependencies };
}

type ByProvider = (provider: string) => DriverQueueActivities;

function once(known: Map<string, DriverQueueActivities>, make: ByProvider): ByProvider {
  return (provider) => {
    const activities = known.get(provider) ?? make(provider);
    known.set(provider, activities);
    return activities;
  };
}

function dependenciesOf(parts: WorldParts): ActivityDependencies {
  const { config, log, clients, namespace, identity, temporal, drivers, services } = parts;
  const { activeWatcher, stop, pauses } = parts;
  const { control, target } = clients;
  return {
    control,
    ...(target && { target }),
    ...(identity.target !== undefined && { targetCluster: identity.target }),
    namespace,
    leasePlace: config.leaderElection,
    defaults: config.machine,
    protectsNodes: config.protectsNodes,
    classes: createClassReader({
      client: control,
      namespace,
      onSecret: (secret) => secretValues.addDataOf(secret),
    }),
    recent: new RecentObjects(control),
    memory: createMemory(parts.written),
    ...copiesOf(parts),
    activeWatcher,
    stop,
    pauses,
    commandsBy: config.commandsBy,
    audit: (entry) => log.info(...auditLine(entry)),
    workflows: createWorkflowRegistry({
      temporal,
      namespace,
      identity,
      timeouts: config.timeouts,
      creationTimeoutSeconds: config.machine.creationTimeoutSeconds,
    }),
    ...services,
    specFaults: (provider, providerSpec) => drivers.get(provider)?.validate(providerSpec) ?? [],
    refusals: createRefusals(control),
  };
}

type Copies = Pick<ActivityDependencies, 'machines' | 'machineSets'>;

function copiesOf({ clients, namespace, copies, log, scope }: WorldParts): Copies {
  const options = (kind: string) => ({
    ...copies,
    control: clients.control,
    namespace,
    onError: (err: unknown) =>
      log.warn({ err }, `the ${kind} cannot be watched: each read lists them`),
  });
  const machines = new CopiedMachines(options('Machines'));
  scope.add('copy of the Machines', () => machines.close());
  const machineSets = new CopiedMachineSets(options('MachineSets'));
  scope.add('copy of the MachineSets', () => machineSets.close());
  return { machines, machineSets };
}

/** Their create ends with the ids of its instance on the Machine. */
function recording(parts: RecordParts, activities: DriverQueueActivities): DriverQueueActivities {
  return {
    ...activities,
    createInstance: async (request: DriverRequest): Promise<RecordedCreateOutcome> =>
      await recordWithCreate(parts, request, await activities.createInstance(request)),
  };
}

/** Of the activity that runs. */
const cancellation = (): AbortSignal => Context.current().cancellationSignal;

const inlineSignal = (): AbortSignal =>
  anySignal([cancellation(), timeoutSignal(inlineDeletionLimitMs)]);

interface DriverParts {
  provider: string;
  driver: Driver;
  signal: () => AbortSignal;
}

function driverActivities(
  dependencies: ActivityDependencies,
  { provider, driver, signal }: DriverParts,
): DriverQueueActivities {
  const { control, target, classes, audit } = dependencies;
  return createDriverActivities({
    audit: (entry) => audit({ ...entry, provider }),
    driver,
    control,
    ...(target && { target }),
    classes,
    signal,
    isShuttingDown: () => Context.current().cancellationDetails?.workerShutdown ?? false,
    isFirstAttempt: () => Context.current().info.attempt === 1,
    guard: createGuard(dependencies),
  });
}
