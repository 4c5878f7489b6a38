/** What a worker does for one namespace. */
import type { Client } from '@temporalio/client';
import type { DrainWatches } from '../../activities/index.ts';
import type { WrittenMachines } from '../../activities/runtime/written-machines.ts';
import type { CopyLimits } from '../../kube/cache/consistent-copy.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ActiveWatcher } from '../../kube/leases/active-watcher.ts';
import { watchActiveWatcher } from '../../kube/leases/active-watcher.ts';
import type { GlobalStop, StopView } from '../../kube/objects/global-stop.ts';
import { watchGlobalStop } from '../../kube/objects/global-stop.ts';
import { pausesUntil } from '../../kube/objects/pauses.ts';
import { isElsewhere, placeOf } from '../../watcher/place.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import { nowMs } from '../../activities/system/system.ts';
import type { ProcessProbeMetrics } from '../checks/probe-metrics.ts';
import { checksOf } from '../checks/checks.ts';
import { startChecks } from '../checks/start-checks.ts';
import type { DrainMetrics } from '../metrics/drains.ts';
import { closeDrainWatches, createDrainWatches } from '../kube/drain-watches.ts';
import type { ProcessRecorders } from '../kube/event-recorders.ts';
import { reasonOf } from '../log/reason.ts';
import type { Leaders } from '../process/leaderless.ts';
import { logStop, withoutStop } from '../process/stop-signs.ts';
import { claimantOf, keepClaims, refusedClaim, untilClaimed } from '../temporal/claims.ts';
import type { DriverWorkers } from '../temporal/driver-workers.ts';
import { watchProviders } from '../temporal/driver-workers.ts';
import type { ServedDeletions } from '../temporal/inline-deletions.ts';
import type { ServiceProbes } from '../temporal/poller-probe.ts';
import type { ProcessDrivers } from '../temporal/process-drivers.ts';
import { openWorld } from '../temporal/world.ts';
import type { Worlds } from '../temporal/worlds.ts';
import type { Attempt } from './served-namespace.ts';
import { waitingOf } from './served-namespace.ts';
import type { Member, MemberParts } from './member.ts';
import { joinFleet } from './member.ts';

/** What the namespaces of a worker share. */
export interface WorkerFleet extends MemberParts {
  temporal: Client;
  /** Its namespace; no id: it is not known yet. */
  database: Readonly<{ id: string }>;
  worlds: Worlds;
  drivers: ProcessDrivers;
  driverWorkers: DriverWorkers;
  deletions: ServedDeletions;
  services: ServiceProbes;
  events: ProcessRecorders;
  /** Of the target cluster that all namespaces share, where drains are served. */
  drainWatches: DrainWatches | undefined;
  copies: CopyLimits;
  written: WrittenMachines;
  leaders: Leaders;
  /** By namespace. */
  stops: Map<string, StopView>;
  probeMetrics: ProcessProbeMetrics;
  drainMetrics: DrainMetrics;
}

/** Resolves when activities for the namespace can run. */
export async function serveWorker(fleet: WorkerFleet, attempt: Attempt): Promise<void> {
  const { config, temporal, worlds, leaders } = fleet;
  const { namespace, scope, signal, log } = attempt;
  const member = await joinFleet(fleet, attempt);
  const { identity } = member;
  const claimant = claimantOf(namespace, config, identity);
  await untilClaimed(temporal, claimant, waitingOf(attempt));
  keepClaims(temporal, claimant, { ...attempt, check: refusedClaim });
  const { stop, activeWatcher } = watchGates(fleet, member, attempt);
  leaders.watch(namespace, activeWatcher.isActive, scope);
  await orAborted(Promise.all([stop.synced, activeWatcher.synced]), signal);
  fleet.stops.set(namespace, stop);
  scope.add('sign of a stop', () => void fleet.stops.delete(namespace));

  const drained = fleet.drainMetrics.of(namespace, scope);
  const { world, dependencies } = openWorld({
    ...fleet,
    ...member,
    log,
    namespace,
    scope,
    stop,
    activeWatcher,
    pauses: () => pausesUntil([...activeWatcher.pauses(), ...stop.pauses()], nowMs()),
    drivers: fleet.drivers.of(identity.fleetNamespace),
    drains: {
      watches: drainWatchesOf(fleet, member, attempt),
      deletions: fleet.deletions,
      drained,
    },
  });
  await untilDriversKnown(fleet, attempt);
  worlds.add(namespace, world);
  scope.add('activities', () => worlds.remove(namespace));
  // Their workflows and activities are of the core.
  if (!config.serves.core) return;
  const settings = { ...config, namespace, identity };
  const metrics = fleet.probeMetrics.of(namespace, checksOf(settings));
  scope.add('metrics of probes', () => fleet.probeMetrics.remove(namespace));
  startChecks({ temporal, settings, dependencies, metrics, log, signal });
}

/** What every activity that creates or destroys asks first. */
function watchGates(
  { config, database }: WorkerFleet,
  { clients: { control: client }, identity }: Member,
  { namespace, scope, log, report }: Attempt,
): { stop: GlobalStop; activeWatcher: ActiveWatcher } {
  const onError = (what: string) => (err: unknown) => {
    log.warn({ err }, what);
    report(`${what}: ${reasonOf(err)}`);
  };
  const stop = watchGlobalStop({
    client,
    namespace,
    onChange: (present) => logStop(log, namespace, present),
    onError: onError('the ConfigMap millwright-stop cannot be read'),
    ...withoutStop(config, log),
  });
  scope.add('global stop', () => stop.close());
  const activeWatcher = watchActiveWatcher({
    client,
    namespace,
    place: config.leaderElection,
    isElsewhere: watcherOfOthers({ database, identity, log }),
    onError: onError('the Lease of the watcher cannot be read'),
  });
  scope.add('active watcher', () => activeWatcher.close());
  return { stop, activeWatcher };
}

/** A claim keeps two installs of one namespace apart only where they share a Temporal namespace. */
export function watcherOfOthers({
  database,
  identity,
  log,
}: Pick<WorkerFleet, 'database'> & Pick<Member, 'identity'> & Pick<Attempt, 'log'>) {
  let wasElsewhere = false;
  return (annotations: Readonly<Record<string, string>>): boolean => {
    const isNow = database.id !== '' && isElsewhere(annotations, placeOf(database.id, identity));
    if (isNow && !wasElsewhere)
      log.warn('the watcher is of another install, or of another Temporal: nothing is written');
    wasElsewhere = isNow;
    return isNow;
  };
}

/** Of a target cluster of its own they are of this namespace alone. */
function drainWatchesOf(
  { config, drainWatches, temporal, events }: WorkerFleet,
  { ownTarget }: Member,
  { scope, log }: Attempt,
): DrainWatches | undefined {
  if (!ownTarget) return drainWatches;
  const recorder = events.open(ownTarget.client, ownTarget.source);
  scope.add('Events', () => recorder.close());
  if (!config.serves.drain) return undefined;
  const watches = createDrainWatches(ownTarget.client, temporal, log);
  scope.add('watches of drains', () => closeDrainWatches(watches));
  return watches;
}

interface DriversOf {
  driverWorkers: Pick<WorkerFleet['driverWorkers'], 'waitsForClasses' | 'serve'>;
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
