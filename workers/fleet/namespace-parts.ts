/** Parts that act for namespaces: what a worker has for all of them, and what each has itself. */
import type { Client } from '@temporalio/client';
import type { DrainParts, DrainWatches } from '../../activities/drain/activity.ts';
import type { WrittenMachines } from '../../activities/runtime/written-machines.ts';
import type { CopyLimits } from '../../kube/cache/consistent-copy.ts';
import type { ActiveWatcher } from '../../kube/leases/active-watcher.ts';
import { watchActiveWatcher } from '../../kube/leases/active-watcher.ts';
import type { WatchedPolicies } from '../../kube/objects/disruption-policies.ts';
import { noPolicies, watchPolicies } from '../../kube/objects/disruption-policies.ts';
import type { GlobalStop, StopView } from '../../kube/objects/global-stop.ts';
import { watchGlobalStop } from '../../kube/objects/global-stop.ts';
import type { AwaitedNodes } from '../../watcher/awaited-nodes.ts';
import { isElsewhere, placeOf } from '../../watcher/place.ts';
import { orAborted } from '../../activities/system/or-aborted.ts';
import type { ProcessCheckMetrics } from '../checks/check-metrics.ts';
import type { Rounds } from '../checks/rounds.ts';
import type { DisruptionMetrics } from '../metrics/disruptions.ts';
import type { DrainMetrics } from '../metrics/drains.ts';
import { closeDrainWatches, createDrainWatches } from '../kube/drain-watches.ts';
import type { ProcessRecorders } from '../kube/event-recorders.ts';
import { reasonOf } from '../log/reason.ts';
import type { Leaders } from '../process/leaderless.ts';
import { logStop, withoutStop } from '../process/stop-signs.ts';
import type { ActivitiesByNamespace } from '../temporal/activities-by-namespace.ts';
import { claimantOf, keepClaims, refusedClaim, untilClaimed } from '../temporal/claims.ts';
import type { DriverWorkers } from '../temporal/driver-workers.ts';
import type { ServedDeletions } from '../temporal/inline-deletions.ts';
import type { ServiceProbes } from '../temporal/poller-probe.ts';
import type { Drivers, ProcessDrivers } from '../temporal/process-drivers.ts';
import type { ServingApproval } from './serving-certificates.ts';
import type { Attempt } from './served-namespace.ts';
import { waitingOf } from './served-namespace.ts';
import type { Member, MemberParts } from './member.ts';
import { joinFleet } from './member.ts';

/** Parts that the namespaces of a worker process share. */
export interface ProcessParts extends MemberParts {
  temporal: Client;
  /** Its namespace; no id: it is not known yet. */
  database: Readonly<{ id: string }>;
  activities: ActivitiesByNamespace;
  drivers: ProcessDrivers;
  driverWorkers: DriverWorkers;
  deletions: ServedDeletions;
  services: ServiceProbes;
  events: ProcessRecorders;
  /** Of the target cluster that all namespaces share, where drains are served. */
  drainWatches: DrainWatches | undefined;
  copies: CopyLimits;
  written: WrittenMachines;
  /** Undefined: the watcher runs elsewhere. */
  awaitedNodes: AwaitedNodes | undefined;
  leaders: Leaders;
  /** By namespace. */
  stops: Map<string, StopView>;
  checkMetrics: ProcessCheckMetrics;
  rounds: Rounds;
  drainMetrics: DrainMetrics;
  disruptionMetrics: DisruptionMetrics;
  /** Undefined: serving certificates of kubelets are not approved. */
  serving: ServingApproval | undefined;
}

/** Parts that one namespace has of its own, until its attempt ends. */
export interface NamespaceParts extends Member, Attempt {
  stop: GlobalStop;
  activeWatcher: ActiveWatcher;
  policies: WatchedPolicies;
  drivers: Drivers;
  drains: DrainParts;
}

/** Resolves when the namespace is claimed, and whether it may be acted on is known. */
export async function openNamespace(
  process: ProcessParts,
  attempt: Attempt,
): Promise<NamespaceParts> {
  const { config, temporal, leaders, stops } = process;
  const { namespace, scope, signal } = attempt;
  const member = await joinFleet(process, attempt);
  const claimant = claimantOf(namespace, config, member.identity);
  await untilClaimed(temporal, claimant, waitingOf(attempt));
  keepClaims(temporal, claimant, { ...attempt, check: refusedClaim });
  const gates = watchGates(process, member, attempt);
  // The watcher beside it knows first whether there is a leader.
  if (!config.withWatcher) leaders.watch(namespace, gates.activeWatcher.isActive, scope);
  const synced = [gates.stop.synced, gates.activeWatcher.synced, gates.policies.synced];
  await orAborted(Promise.all(synced), signal);
  stops.set(namespace, gates.stop);
  scope.add('sign of a stop', () => void stops.delete(namespace));
  return {
    ...attempt,
    ...member,
    ...gates,
    drivers: process.drivers.of(member.identity.fleetNamespace),
    drains: {
      drained: process.drainMetrics.of(namespace, scope),
      watches: drainWatchesOf(process, member, attempt),
      deletions: process.deletions,
    },
  };
}

/** What activities ask first: all that create or destroy, and those that choose what is to go. */
function watchGates(
  { config, database }: ProcessParts,
  { clients: { control: client }, identity }: Member,
  { namespace, scope, log, report }: Attempt,
): Pick<NamespaceParts, 'stop' | 'activeWatcher' | 'policies'> {
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
  // Drains and drivers are asked for what the core has decided, and have no right to read them.
  const policies = config.serves.core
    ? watchPolicies({
        client,
        namespace,
        onError: onError('the DisruptionPolicies cannot be read'),
        onRefusal: (err) => logRefusal(log, err),
      })
    : noPolicies;
  scope.add('DisruptionPolicies', () => policies.close());
  return { stop, activeWatcher, policies };
}

function logRefusal(log: Attempt['log'], err: unknown): void {
  if (err === undefined) log.warn('the DisruptionPolicies can be read again');
  else log.warn({ err }, 'the DisruptionPolicies may not be read: rollouts and replacements hold');
}

/** A claim keeps two installs of one namespace apart only where they share a Temporal namespace. */
export function watcherOfOthers({
  database,
  identity,
  log,
}: Pick<ProcessParts, 'database'> & Pick<Member, 'identity'> & Pick<Attempt, 'log'>) {
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
  { config, drainWatches, temporal, events }: ProcessParts,
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
