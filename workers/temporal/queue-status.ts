/** When workers asked a task queue for work, and for how long its tasks wait. */
import type { Client } from '@temporalio/client';
import { nowMs } from '../../activities/system/system.ts';
import type { QueueStatus } from '../../watcher/worker-presence.ts';
import { isSameVersion, versionIn } from './queue-versions.ts';
import type { VersionFound } from './queue-versions.ts';

/** `temporal.api.enums.v1.TaskQueueType`. */
const queueTypes = { workflow: 1, activity: 2 } as const;
const callTimeoutMs = 5_000;

/** A call that Temporal answers from memory. */
export async function readQueue(
  temporal: Client,
  taskQueue: string,
  type: keyof typeof queueTypes = 'workflow',
): Promise<QueueStatus> {
  const { workflowService, options } = temporal;
  const deadline = nowMs() + callTimeoutMs;
  const { pollers, stats, versioningInfo } = await temporal.withDeadline(deadline, () =>
    workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: queueTypes[type],
      reportStats: true,
    }),
  );
  const times = pollers.flatMap(({ lastAccessTime, deploymentOptions }) =>
    lastAccessTime && (type === 'activity' || getsWork(deploymentOptions, versioningInfo))
      ? [millisecondsOf(lastAccessTime)]
      : [],
  );
  const age = stats?.approximateBacklogAge;
  return {
    ...(times.length > 0 && { polledAt: Math.max(...times) }),
    backlogMs: age ? millisecondsOf(age) : 0,
  };
}

interface Routing {
  currentDeploymentVersion?: VersionFound;
  rampingDeploymentVersion?: VersionFound;
  rampingVersionPercentage?: number | null;
}

/** Workers of a version that stands by ask for workflow tasks, and are given none. */
function getsWork(worker: VersionFound, routing: Routing | null | undefined): boolean {
  const { currentDeploymentVersion, rampingDeploymentVersion, ...ramp } = routing ?? {};
  const share = ramp.rampingVersionPercentage ?? 0;
  const versions = [currentDeploymentVersion, ...(share > 0 ? [rampingDeploymentVersion] : [])];
  return versions.some((version) => isSameVersion(versionIn(version), versionIn(worker)));
}

interface Duration {
  seconds?: { toNumber(): number } | null;
  nanos?: number | null;
}

function millisecondsOf({ seconds, nanos }: Duration): number {
  return (seconds?.toNumber() ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1_000_000);
}
