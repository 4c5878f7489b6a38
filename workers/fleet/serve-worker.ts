/** Work of a worker for one namespace. */
import type { KubeClient } from '../../kube/client/client.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { checksOf } from '../checks/checks.ts';
import { keepSchedules } from '../checks/keep-schedules.ts';
import { NamespaceChecks } from '../checks/namespace-checks.ts';
import { reasonOf } from '../log/reason.ts';
import { watchProviders } from '../temporal/driver-workers.ts';
import type { ProcessParts, NamespaceParts } from './namespace-parts.ts';
import { openNamespace } from './namespace-parts.ts';
import { serveCertificates } from './serving-certificates.ts';
import type { Attempt } from './served-namespace.ts';
import { Context } from '@temporalio/activity';
import { RecentObjects } from '../../kube/cache/recent-objects.ts';
import type { CopyLimits } from '../../kube/cache/consistent-copy.ts';
import { CopiedMachineSets } from '../../activities/machine-deployment/set-lists.ts';
import { CopiedMachines } from '../../activities/machine-set/machine-lists.ts';
import { createClassReader } from '../../activities/machine-class/reader.ts';
import { createDrainActivities, createKubeActivities } from '../../activities/index.ts';
import type { DriverQueueActivities } from '../../activities/gates.ts';
import { createGuard } from '../../activities/gates.ts';
import type { DriverDependencies } from '../../activities/instance.ts';
import { createDriverActivities } from '../../activities/instance.ts';
import { anySignal, nowMs, timeoutSignal } from '../../activities/system/system.ts';
import { pausesUntil } from '../../kube/objects/pauses.ts';
import { createMemory } from '../../activities/runtime/memory.ts';
import { createRefusals } from '../../activities/machine-class/refusals.ts';
import type { ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import type { RecordParts } from '../../activities/machine/record-with-create.ts';
import { recordWithCreate } from '../../activities/machine/record-with-create.ts';
import { auditLine } from '../log/audit-line.ts';
import { secretValues } from '../../activities/redaction/secret-values.ts';
import { inlineDeletionLimitMs } from '../temporal/inline-deletions.ts';
import { createWorkflowRegistry } from '../temporal/workflow-registry.ts';
import type { NamespaceActivities } from '../temporal/activities-by-namespace.ts';

/** Resolves when activities for the namespace can run. */
export async function serveWorker(process: ProcessParts, attempt: Attempt): Promise<void> {
  const { config, temporal, activities, awaitedNodes, checkMetrics, rounds } = process;
  const { namespace, scope, signal, log } = attempt;
  const parts = await openNamespace(process, attempt);
  const dependencies = dependenciesOf(process, parts);
  const own = createActivities(dependencies, { ...parts, config, awaitedNodes });
  await untilDriversKnown(process, attempt);
  activities.add(namespace, own);
  scope.add('activities', () => activities.remove(namespace));
  // Their workflows and activities are of the core.
  if (!config.serves.core) return;
  serveCertificates(process, parts, dependencies);
  const settings = { ...config, namespace, identity: parts.identity };
  const metrics = checkMetrics.of(namespace, checksOf(settings));
  scope.add('metrics of checks', () => checkMetrics.remove(namespace));
  keepSchedules({ temporal, settings, log, signal });
  const namespaces = (): number => rounds.size;
  const checks = { temporal, settings, dependencies, metrics, log, signal, namespaces };
  const namespaceChecks = new NamespaceChecks(checks);
  parts.policies.onEdit(() => namespaceChecks.policiesEdited());
  rounds.add(namespace, namespaceChecks);
  scope.add('safety checks', () => rounds.remove(namespace));
}

interface DriversOf {
  driverWorkers: Pick<ProcessParts['driverWorkers'], 'waitsForClasses' | 'serve'>;
  clients: { control: KubeClient };
}

/** The drivers that its classes need load before its activities run. */
export async function untilDriversKnown(
  { driverWorkers, clients }: DriversOf,
  { namespace, scope, signal, log, report }: Attempt,
): Promise<void> {
  if (!driverWorkers.waitsForClasses) return;
  const classes = watchProviders({
    control: clients.control,
    namespace,
    onProvider: (provider) => driverWorkers.serve(provider),
    onError(err) {
      const what = 'the MachineClasses cannot be read';
      log.warn({ err }, what);
      // The others of the fleet begin when of each it is known whether it is served.
      report(`${what}: ${reasonOf(err)}`);
    },
  });
  scope.add('MachineClasses', () => classes.stop());
  await orAborted(classes.synced, signal);
}

/** `config`: of the process. */
type Served = Pick<NamespaceParts, 'drivers' | 'drains'> &
  Pick<ProcessParts, 'config' | 'awaitedNodes'>;

function createActivities(
  dependencies: ActivityDependencies,
  { config, drivers, drains, awaitedNodes }: Served,
): NamespaceActivities {
  const kube = createKubeActivities(dependencies);
  const recordParts: RecordParts = {
    steps: kube,
    usesTarget: dependencies.target !== undefined,
    awaitNode: (machine) => awaitedNodes?.wait(machine),
    cancellation,
    warn: (error) => Context.current().log.warn('the launch goes on step by step', { error }),
  };
  const drivenBy = (
    provider: string,
    { signal, ...launch }: Pick<DriverDependencies, 'signal' | 'record' | 'claim'>,
  ): DriverQueueActivities => {
    const driver = drivers.get(provider);
    if (!driver) throw new Error(`this process has no driver for provider ${provider}`);
    return createDriverActivities({
      ...dependencies,
      audit: (entry) => dependencies.audit({ ...entry, provider }),
      driver,
      signal,
      isShuttingDown: () => Context.current().cancellationDetails?.workerShutdown ?? false,
      isFirstAttempt: () => Context.current().info.attempt === 1,
      guard: createGuard(dependencies),
      ...launch,
      warn: recordParts.warn,
    });
  };
  const ofCore: Pick<DriverDependencies, 'record' | 'claim'> = {
    record: (request, outcome) => recordWithCreate(recordParts, request, outcome),
    claim: (input) => kube.readAndClaimMachine(input),
  };
  return {
    kube,
    drain: createDrainActivities(dependencies, drains),
    driver: once((provider) =>
      drivenBy(provider, { signal: cancellation, ...(config.serves.core && ofCore) }),
    ),
    inlineDriver: once((provider) => drivenBy(provider, { signal: inlineSignal })),
  };
}

type ByProvider = (provider: string) => DriverQueueActivities;

function once(make: ByProvider): ByProvider {
  const known = new Map<string, DriverQueueActivities>();
  return (provider) => {
    const activities = known.get(provider) ?? make(provider);
    known.set(provider, activities);
    return activities;
  };
}

/** Dependencies of the activities of the namespace. */
function dependenciesOf(
  { config, temporal, services, copies, written, disruptionMetrics }: ProcessParts,
  parts: NamespaceParts,
): ActivityDependencies {
  const { log, clients, namespace, identity, drivers, activeWatcher, stop, policies } = parts;
  const { control, target } = clients;
  return {
    control,
    ...(target && { target }),
    ...(identity.target !== undefined && { targetCluster: identity.target }),
    namespace,
    leasePlace: config.leaderElection,
    defaults: config.machine,
    protectsNodes: config.protectsNodes,
    keepsAddresses: config.approvesKubeletServing,
    classes: createClassReader({
      client: control,
      namespace,
      onSecret: (secret) => secretValues.addDataOf(secret),
    }),
    recent: new RecentObjects(control),
    memory: createMemory(written),
    ...copiesOf(copies, parts),
    activeWatcher,
    stop,
    policies,
    disrupted: disruptionMetrics.of(namespace, parts.scope),
    pauses: () => pausesUntil([...activeWatcher.pauses(), ...stop.pauses()], nowMs()),
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

function copiesOf(copies: CopyLimits, { clients, namespace, log, scope }: NamespaceParts): Copies {
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

/** Of the activity that runs. */
const cancellation = (): AbortSignal => Context.current().cancellationSignal;

const inlineSignal = (): AbortSignal =>
  anySignal([cancellation(), timeoutSignal(inlineDeletionLimitMs)]);
