/** Work of the front for one namespace. */
import type { Client } from '@temporalio/client';
import { createFrontActivities } from '../../activities/front/index.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { FrontWatcher } from '../../watcher/front/index.ts';
import { startFrontWatcher } from '../../watcher/front/index.ts';
import type { FrontActivities } from '../../workflows/contracts/front-activities.ts';
import { frontQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { FairTurns } from '../fleet/fair-turns.ts';
import type { MemberParts } from '../fleet/member.ts';
import { joinFleet } from '../fleet/member.ts';
import type { Attempt } from '../fleet/served-namespace.ts';
import { waitingOf } from '../fleet/served-namespace.ts';
import type { ProcessRecorders } from '../kube/event-recorders.ts';
import { claimantOf, keepClaims, refusedClaim, untilClaimed } from '../temporal/claims.ts';

/** Parts that the namespaces of a front share. */
export interface FrontParts extends MemberParts {
  temporal: Client;
  leaseClient: KubeClient;
  events: ProcessRecorders;
  /** Of all signals that are being sent. */
  turns: FairTurns;
  env: Readonly<Record<string, string | undefined>>;
  /** By namespace. */
  activities: Map<string, FrontActivities>;
  /** By namespace. */
  watchers: Map<string, FrontWatcher>;
}

/** Resolves when it watches or stands by, and passes over the namespace can run. */
export async function serveFront(front: FrontParts, attempt: Attempt): Promise<void> {
  const { config, temporal, activities, watchers } = front;
  const { namespace, scope, log } = attempt;
  const { identity, clients, ownTarget } = await joinFleet(front, attempt);
  if (ownTarget) {
    const recorder = front.events.open(ownTarget.client, ownTarget.source);
    scope.add('Events', () => recorder.close());
  }
  const claimant = claimantOf(namespace, config, identity);
  await untilClaimed(temporal, claimant, waitingOf(attempt));
  keepClaims(temporal, claimant, { ...attempt, check: refusedClaim });
  const { control, target } = clients;
  const dependencies = {
    control,
    target,
    cluster: identity.target ?? 'none',
    env: front.env,
    settings: config.front,
  };
  activities.set(namespace, createFrontActivities(dependencies));
  scope.add('passes', () => void activities.delete(namespace));
  const { leaderElection, timeouts } = config;
  const watcher = startFrontWatcher({
    control,
    target,
    namespace,
    temporal,
    cluster: identity.cluster,
    clusterName: identity.clusterName,
    taskQueue: frontQueueOf(identity.taskQueue),
    timeouts,
    log,
    turn: (send) => front.turns.take(namespace, send),
    leaderElection: {
      client: front.leaseClient,
      identity: config.identity,
      isForced: !leaderElection.enabled,
      timing: {
        leaseDurationSeconds: leaderElection.leaseDurationSeconds,
        renewDeadlineMs: leaderElection.renewDeadlineSeconds * 1000,
        retryPeriodMs: leaderElection.retryPeriodSeconds * 1000,
      },
    },
  });
  watchers.set(namespace, watcher);
  scope.add('watcher', async () => {
    watchers.delete(namespace);
    await watcher.stop();
  });
}
