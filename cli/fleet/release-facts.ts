/** Whether the code of the workers goes on with their workflows, by what Temporal knows. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { reasonOf } from '../../workers/log/reason.ts';
import { readQueueVersions } from '../../workers/temporal/queue-versions.ts';
import type { ReleaseFacts, TroubledRuns } from '../diagnosis/fleet.ts';

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
  const [versions, begunAnew, failing] = await Promise.all([
    readQueueVersions(client, queue),
    readBegunAnew(client, { queue, now }),
    readFailing(client, queue),
  ]);
  return { queue, ...versions, begunAnew, failing };
}

/** Runs that failed, and whose next run began anew from the object. */
async function readBegunAnew(
  client: Client,
  { queue, now }: { queue: string; now: number },
): Promise<TroubledRuns | undefined> {
  const after = new Date(now - begunAnewWithinMs).toISOString();
  const runs = await runsOf(
    client,
    `${types} AND TaskQueue = '${queue}' AND ExecutionStatus IN ('Failed', 'TimedOut') AND CloseTime > '${after}'`,
  );
  const ordered = runs.toSorted((a, b) => timeOf(a.closeTime) - timeOf(b.closeTime));
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (!first || !last) return undefined;
  const words = await failureOf(client, last);
  return { ...countOf(runs), since: timeOf(first.closeTime), workflowId: last.workflowId, words };
}

async function failureOf(client: Client, run: WorkflowExecutionInfo): Promise<string> {
  const { workflowId, runId } = run;
  const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
  try {
    await handle.result();
    return run.status.name;
  } catch (error) {
    // The error says only that the run failed; its cause says why.
    return reasonOf(error instanceof Error ? (error.cause ?? error) : error);
  }
}

/** Runs that stand still: the server names them after five attempts that failed. */
async function readFailing(client: Client, queue: string): Promise<TroubledRuns | undefined> {
  const runs = await runsOf(
    client,
    `TaskQueue = '${queue}' AND ExecutionStatus = 'Running' AND TemporalReportedProblems IS NOT NULL`,
  ).catch(noneOfOlderServers);
  const [first] = runs;
  if (!first) return undefined;
  const { workflowId } = first;
  return { ...countOf(runs), workflowId, ...(await failedTaskOf(client, first)) };
}

/** INVALID_ARGUMENT of gRPC. */
const invalidArgument = new Set<number>([3]);

/** One that does not know this search attribute refuses the query. */
function noneOfOlderServers(error: unknown): WorkflowExecutionInfo[] {
  if (isGrpcServiceError(error) && invalidArgument.has(error.code)) return [];
  throw error;
}

async function failedTaskOf(
  client: Client,
  { workflowId, runId, searchAttributes }: WorkflowExecutionInfo,
): Promise<Pick<TroubledRuns, 'since' | 'words'>> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: lastEvents,
  });
  const event = history?.events?.find(({ workflowTaskFailedEventAttributes: task }) => task);
  const failure = event?.workflowTaskFailedEventAttributes?.failure;
  const { loadedDataConverter } = client.options;
  const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
  const at = event?.eventTime;
  const reported = searchAttributes['TemporalReportedProblems'] ?? [];
  return {
    since: at ? Number(at.seconds) * 1_000 : undefined,
    words: error ? reasonOf(error) : reported.join(', '),
  };
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
