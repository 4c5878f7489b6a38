/** Reads if Temporal answers, if workers poll, and if their code goes on. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { Client, isGrpcServiceError } from '@temporalio/client';
import { connectTo } from '../../workers/kube/clients.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { dataConverterOf } from '../../workers/payloads/data-converter.ts';
import { taskQueueOf } from '../../workflows/contracts/task-queues.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Install, TemporalFacts, ReleaseFacts, TroubledRuns } from './install.ts';
import { seesWorker } from './install.ts';
import { isOtherThan } from './noted.ts';
import { clusterIdOf } from '../connection/temporal-options.ts';
import type { InstallFlags } from './flags.ts';
import type { TemporalOptions } from '../command-line/options.ts';
import { temporalSettingsOf } from '../connection/temporal.ts';
import { isInvalidArgument } from '../../workers/temporal/grpc-errors.ts';
import { readQueueVersions } from '../../workers/temporal/queue-status.ts';
import type { WorkerVersion } from '../../workers/temporal/worker-version.ts';
import { failureMessageOf } from '../connection/temporal-failure.ts';

interface Known {
  install: Install;
  flags: InstallFlags;
  options: TemporalOptions;
}

/** A person who waits longer than this has the answer elsewhere. */
const patienceMs = 5_000;

export async function readTemporal(scope: ClusterScope, known: Known): Promise<TemporalFacts> {
  const settings = temporalSettingsOf(known.options, process.env);
  const { namespace, address } = settings;
  const began = Date.now();
  try {
    const [connection, queue] = await Promise.all([
      connectTo(settings, { connectMs: patienceMs }),
      queueOf(scope, known),
    ]);
    try {
      const client = new Client({ connection, namespace, ...dataConverterOf(settings) });
      const other = await otherThan(known.flags, client);
      if (other) return { address, namespace, isOther: other };
      const served =
        queue === undefined ? {} : knownOf(await servedBy(client, queue), known.install);
      return { address, namespace, pollers: {}, ...served, tookMs: Date.now() - began };
    } finally {
      await connection.close();
    }
  } catch (error) {
    const failure = reasonOf(error);
    return { address, namespace, failure, ...(isRefusal(error) && { isRefused: true }) };
  }
}

/** Where the watcher has another database, even by the same names: what it knows is not ours. */
async function otherThan(
  { temporalNoted: own }: InstallFlags,
  client: Client,
): Promise<TemporalFacts['isOther']> {
  if (!own) return undefined;
  const { namespaceInfo } = await client.withDeadline(Date.now() + patienceMs, () =>
    client.workflowService.describeNamespace({ namespace: client.options.namespace }),
  );
  return isOtherThan(own, namespaceInfo?.id) ? own : undefined;
}

/** `NOT_FOUND` of the namespace, `PERMISSION_DENIED`, `UNAUTHENTICATED` of gRPC. */
const refusals = new Set<number>([5, 7, 16]);

function isRefusal(error: unknown): boolean {
  if (isGrpcServiceError(error)) return refusals.has(error.code);
  if (!(error instanceof Error)) return false;
  return error.name === 'NamespaceNotFoundError' || isRefusal(error.cause);
}

/** For an install with one namespace; of all namespaces nothing is known of the installs. */
async function queueOf(
  { kube, namespace }: ClusterScope,
  { install, flags }: Known,
): Promise<string | undefined> {
  if (install.namespace === undefined && flags.name === '') return undefined;
  const cluster = await clusterIdOf(kube, flags);
  return cluster && taskQueueOf({ cluster, name: flags.name || namespace });
}

type Served = Pick<TemporalFacts, 'pollers' | 'release'>;

/**
 * Without the Deployment of a watcher, as of a fleet in another namespace, the name of the queue is
 * a guess. It is wrong where none polls it, and the watcher that leads sees a worker.
 */
export function knownOf(served: Served, { processes, leases = [] }: Install): Served {
  const isGuess = !processes.some(({ isWatcher }) => isWatcher);
  const isPolled = Object.values(served.pollers ?? {}).some((count) => count > 0);
  return isGuess && !isPolled && leases.some(seesWorker) ? {} : served;
}

async function servedBy(client: Client, queue: string): Promise<Served> {
  const now = Date.now();
  const release = await client.withDeadline(now + patienceMs, () =>
    readRelease(client, { queue, now }),
  );
  return { pollers: { [queue]: release.polling.length }, release };
}

/** As the alerts have it. */
const begunAnewWithinMs = 3_600_000;
/** Most of a list that are counted. */
const mostRuns = 100;
/** The failure of a task is among the last events: later attempts are not written. */
const lastEvents = 20;

/** Workflows that live as long as their object. A check that fails is tried at its next time. */
const types = `WorkflowType IN ('machine', 'machineSet', 'machineDeployment', 'machineClass', 'secret')`;

/** Reads if the code of the workers goes on with their workflows, by what Temporal knows. */
async function readRelease(
  client: Client,
  { queue, now }: { queue: string; now: number },
): Promise<ReleaseFacts> {
  const [versions, closed, failing] = await Promise.all([
    readQueueVersions(client, queue),
    failedRuns(client, { queue, now }),
    readFailing(client, queue),
  ]);
  const begunAnew = await begunAnewOf(client, closed, versions.current);
  return { queue, ...versions, begunAnew, failing };
}

async function failedRuns(
  client: Client,
  { queue, now }: { queue: string; now: number },
): Promise<WorkflowExecutionInfo[]> {
  const after = new Date(now - begunAnewWithinMs).toISOString();
  return await runsOf(
    client,
    `${types} AND TaskQueue = '${queue}' AND ExecutionStatus IN ('Failed', 'TimedOut') AND CloseTime > '${after}'`,
  );
}

/**
 * Failed runs, each of which Temporal started anew; without those of a version that was replaced.
 */
async function begunAnewOf(
  client: Client,
  closed: readonly WorkflowExecutionInfo[],
  current: WorkerVersion | undefined,
): Promise<TroubledRuns | undefined> {
  const runs = closed
    .filter((run) => isOfVersion(run, current))
    .toSorted((a, b) => timeOf(a.closeTime) - timeOf(b.closeTime));
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last) return undefined;
  const words = await endOf(client, last);
  return { ...countOf(runs), since: timeOf(first.closeTime), workflowId: last.workflowId, words };
}

/** A run says the version that did its last task; one of a worker without a version says none. */
function isOfVersion(
  { searchAttributes }: WorkflowExecutionInfo,
  current: WorkerVersion | undefined,
): boolean {
  const [version] = searchAttributes['TemporalWorkerDeploymentVersion'] ?? [];
  const wanted = current && `${current.deploymentName}:${current.buildId}`;
  return version === wanted;
}

/** Message of the failure that ended a run. */
async function endOf(client: Client, run: WorkflowExecutionInfo): Promise<string> {
  const [event] = await lastEventsOf(client, run, 1);
  const failure = event?.workflowExecutionFailedEventAttributes?.failure;
  return (await failureMessageOf(client.options.loadedDataConverter, failure)) ?? run.status.name;
}

/** Runs that stand still: the server names them after five attempts that failed. */
async function readFailing(client: Client, queue: string): Promise<TroubledRuns | undefined> {
  const runs = await runsOf(
    client,
    `TaskQueue = '${queue}' AND ExecutionStatus = 'Running' AND TemporalReportedProblems IS NOT NULL`,
  ).catch((error: unknown): WorkflowExecutionInfo[] => {
    // An older server does not know this search attribute, and refuses the query.
    if (isInvalidArgument(error)) return [];
    throw error;
  });
  const [first] = runs;
  if (!first) return undefined;
  const { workflowId } = first;
  return { ...countOf(runs), workflowId, ...(await failedTaskOf(client, first)) };
}

async function failedTaskOf(
  client: Client,
  run: WorkflowExecutionInfo,
): Promise<Pick<TroubledRuns, 'since' | 'words'>> {
  const events = await lastEventsOf(client, run, lastEvents);
  const event = events.find(({ workflowTaskFailedEventAttributes: task }) => task);
  const { failure } = event?.workflowTaskFailedEventAttributes ?? {};
  const words = await failureMessageOf(client.options.loadedDataConverter, failure);
  const at = event?.eventTime;
  const reported = run.searchAttributes['TemporalReportedProblems'] ?? [];
  return {
    since: at ? Number(at.seconds) * 1_000 : undefined,
    words: words ?? reported.join(', '),
  };
}

type History = Awaited<
  ReturnType<Client['workflowService']['getWorkflowExecutionHistoryReverse']>
>['history'];
type Events = NonNullable<NonNullable<History>['events']>;

/** The last one first. */
async function lastEventsOf(
  { workflowService, options }: Client,
  { workflowId, runId }: WorkflowExecutionInfo,
  maximumPageSize: number,
): Promise<Events> {
  const { namespace } = options;
  const execution = { workflowId, runId };
  const request = { namespace, execution, maximumPageSize };
  const { history } = await workflowService.getWorkflowExecutionHistoryReverse(request);
  return history?.events ?? [];
}

async function runsOf(client: Client, query: string): Promise<WorkflowExecutionInfo[]> {
  const runs: WorkflowExecutionInfo[] = [];
  for await (const run of client.workflow.list({ query, pageSize: mostRuns })) {
    runs.push(run);
    if (runs.length === mostRuns) break;
  }
  return runs;
}

function countOf(runs: readonly WorkflowExecutionInfo[]): { count: string } {
  return { count: runs.length < mostRuns ? `${runs.length}` : `${mostRuns} or more` };
}

const timeOf = (time: Date | undefined): number => time?.getTime() ?? 0;
