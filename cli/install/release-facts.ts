/** Whether the code of the workers goes on with their workflows, by what Temporal knows. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { isInvalidArgument } from '../../workers/temporal/grpc-errors.ts';
import { readQueueVersions } from '../../workers/temporal/queue-status.ts';
import type { WorkerVersion } from '../../workers/temporal/worker-version.ts';
import type { ReleaseFacts, TroubledRuns } from './install.ts';
import { failureWordsOf } from '../connection/temporal-failure.ts';

/** As the alerts have it. */
const begunAnewWithinMs = 3_600_000;
/** Of a list. More are not counted. */
const mostRuns = 100;
/** The failure of a task is among the last events: later attempts are not written. */
const lastEvents = 20;

/** Of workflows that live as long as their object. A check that fails is tried at its next time. */
const types = `WorkflowType IN ('machine', 'machineSet', 'machineDeployment', 'machineClass', 'secret')`;

export async function readRelease(
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

/** What the failure says that ended a run. */
async function endOf(client: Client, run: WorkflowExecutionInfo): Promise<string> {
  const [event] = await lastEventsOf(client, run, 1);
  const failure = event?.workflowExecutionFailedEventAttributes?.failure;
  return (await failureWordsOf(client.options.loadedDataConverter, failure)) ?? run.status.name;
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
  const words = await failureWordsOf(client.options.loadedDataConverter, failure);
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
