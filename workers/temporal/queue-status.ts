/** When workers asked a task queue for work, and for how long its tasks wait. */
import type { Client } from '@temporalio/client';
import { nowMs } from '../../activities/system/system.ts';
import type { QueueStatus } from '../../watcher/worker-presence.ts';
import type { WorkerVersion } from './worker-version.ts';

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

/** Task queues of workflows, as `temporal.api.enums.v1.TaskQueueType` counts them. */
const workflowQueue = 1;
/** A poll lasts a minute, and Temporal remembers its worker for five. */
const pollsWithinMs = 120_000;
const answerMs = 5_000;

export interface QueueVersions {
  /** Undefined: tasks go to workers without a version. */
  current: WorkerVersion | undefined;
  /**
   * Of the workers that poll, or did so less than two minutes before the last poll of any. Where
   * none polls any more, Temporal forgets the last ones after five.
   */
  polling: readonly (WorkerVersion | undefined)[];
}

/** A read, which is no action of Temporal. Rejects when there is no answer within 5 s. */
export async function readQueueVersions(
  temporal: Client,
  taskQueue: string,
): Promise<QueueVersions> {
  const { namespace } = temporal.options;
  const asked = { namespace, taskQueue: { name: taskQueue }, taskQueueType: workflowQueue };
  const { versioningInfo, pollers } = await temporal.withDeadline(nowMs() + answerMs, () =>
    temporal.workflowService.describeTaskQueue(asked),
  );
  const seen = pollers.map(({ lastAccessTime, deploymentOptions }) => ({
    atMs: Number(lastAccessTime?.seconds ?? 0) * 1_000,
    version: versionIn(deploymentOptions),
  }));
  // By the clock of the server alone: that of this host may be minutes away from it.
  const latestMs = Math.max(...seen.map(({ atMs }) => atMs));
  return {
    current: versionIn(versioningInfo?.currentDeploymentVersion),
    polling: seen
      .filter(({ atMs }) => latestMs - atMs < pollsWithinMs)
      .map(({ version }) => version),
  };
}

/** As Temporal says it of a worker, or of where tasks go. */
type VersionFound = { deploymentName?: string | null; buildId?: string | null } | null | undefined;

/** Workers without a version have a build id of the SDK, and no deployment. */
function versionIn(found: VersionFound): WorkerVersion | undefined {
  const { deploymentName, buildId } = found ?? {};
  return deploymentName && buildId ? { deploymentName, buildId } : undefined;
}

export function isSameVersion(
  one: WorkerVersion | undefined,
  other: WorkerVersion | undefined,
): boolean {
  return one?.deploymentName === other?.deploymentName && one?.buildId === other?.buildId;
}

export function polls(version: WorkerVersion | undefined, { polling }: QueueVersions): boolean {
  return polling.some((one) => isSameVersion(one, version));
}
