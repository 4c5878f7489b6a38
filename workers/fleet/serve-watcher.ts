/** Work of a watcher for one namespace: it leads there, or stands by. */
import type { Client } from '@temporalio/client';
import type { KubeClient } from '../../kube/client/client.ts';
import type { AwaitedNodes } from '../../watcher/awaited-nodes.ts';
import type { Watcher } from '../../watcher/index.ts';
import { startWatcher } from '../../watcher/index.ts';
import type { QueueStatus } from '../../watcher/worker-presence.ts';
import type { Config } from '../config/config.ts';
import { TermRecorder } from '../metrics/term-recorder.ts';
import type { MeasuredWatcher } from '../metrics/watchers.ts';
import type { CertificateEnds } from '../process/rotated-files.ts';
import { untilReached } from '../process/reach.ts';
import type { Leaders } from '../process/leaderless.ts';
import { withoutStop } from '../process/stop-signs.ts';
import { claimantOf, keepClaims, untilClaimed } from '../temporal/claims.ts';
import type { SignalTraces } from '../traces/signal-traces.ts';
import { endLeftOverRuns, followLeftOverRuns } from '../temporal/workflow-registry.ts';
import type { FairTurns } from './fair-turns.ts';
import type { Attempt } from './served-namespace.ts';
import { waitingOf } from './served-namespace.ts';
import type { MemberParts } from './member.ts';
import { joinFleet } from './member.ts';

export interface ServedWatcher extends MeasuredWatcher {
  watcher: Watcher;
}

/** Parts that the namespaces of a watcher share. */
export interface WatcherFleet extends MemberParts {
  temporal: Client;
  leaseClient: KubeClient;
  /** Reads whether workers ask for work. */
  readQueue(): Promise<QueueStatus>;
  /** The same of a queue of activities. */
  readActivityQueue(queue: string): Promise<QueueStatus>;
  /** Of all signals that are being sent. */
  turns: FairTurns;
  leaders: Leaders;
  certificates: CertificateEnds;
  /** Of a worker in the same process. */
  awaitedNodes?: AwaitedNodes | undefined;
  /** By namespace. */
  watchers: Map<string, ServedWatcher>;
  /** Absent: there are none. */
  traces?: SignalTraces | undefined;
}

/** Resolves when it watches or stands by. */
export async function serveWatcher(fleet: WatcherFleet, attempt: Attempt): Promise<void> {
  const { config, temporal, leaders, watchers } = fleet;
  const { namespace, scope, log } = attempt;
  const waiting = waitingOf(attempt);
  const { identity, clients } = await joinFleet(fleet, attempt);
  const claimant = claimantOf(namespace, config, identity);
  await untilClaimed(temporal, claimant, waiting);
  keepClaims(temporal, claimant, attempt);
  await untilReached({
    server: 'Temporal, for runs that are left over',
    attempt: () => endLeftOverRuns(temporal, claimant),
    ...waiting,
  });
  const { concurrency, leaderElection } = config;
  let recorder: TermRecorder | undefined;
  const watcher = await startWatcher({
    control: clients.control,
    target: clients.target,
    targetCluster: identity.target,
    temporal,
    readQueue: fleet.readQueue,
    readActivityQueue: fleet.readActivityQueue,
    turn: (send) => fleet.turns.take(namespace, send),
    traces: fleet.traces,
    awaitedNodes: fleet.awaitedNodes,
    launches: (provider) => launches(config, provider),
    namespace,
    cluster: identity.cluster,
    install: {
      name: identity.name,
      isFleet: config.namespaces.kind !== 'one',
      temporalAddress: config.temporal.address,
    },
    clusterName: identity.clusterName,
    taskQueue: identity.taskQueue,
    concurrency: concurrency.syncs,
    timeouts: config.timeouts,
    creationTimeoutSeconds: config.machine.creationTimeoutSeconds,
    log,
    certificates: fleet.certificates,
    onTerm: () => (recorder = new TermRecorder(namespace)),
    onTooLarge: (reason) => scope.end(reason),
    stop: withoutStop(config, log),
    leaderElection: {
      client: fleet.leaseClient,
      identity: config.identity,
      place: leaderElection,
      isElected: leaderElection.enabled,
      timing: {
        leaseDurationSeconds: leaderElection.leaseDurationSeconds,
        renewDeadlineMs: leaderElection.renewDeadlineSeconds * 1000,
        retryPeriodMs: leaderElection.retryPeriodSeconds * 1000,
      },
    },
  });
  watchers.set(namespace, { watcher, recorder: () => recorder });
  scope.add('watcher', async () => {
    watchers.delete(namespace);
    await watcher.stop();
  });
  if (claimant.takeOver.length > 0) followLeftOverRuns(temporal, claimant, { scope, log, watcher });
  leaders.watch(namespace, watcher.hasLeader, scope);
}

/** A process with the core and the driver takes the launch from its own queue. */
function launches({ withWatcher, serves }: Config, provider: string): boolean {
  return withWatcher && serves.core && serves.drivers.some((name) => name === provider);
}
