/** The calls of Temporal's gRPC service that our code makes, over the wire's own encoding. */
import type { temporal } from '@temporalio/proto';
import proto from '@temporalio/proto';
import Long from 'long';
import type { Simulation } from '../engine/simulation.ts';
import { millisecondsOf, partsOf } from './durations.ts';
import type { ExecutionEngine, StartRequest } from './engine.ts';
import type { Execution, Status } from './execution.ts';
import { GrpcError } from './grpc-errors.ts';
import { eventsOf } from './events.ts';
import type { Job, Payload } from './messages.ts';
import type { Schedules } from './schedules.ts';
import type { UpdateOutcome } from './updates.ts';
import { conditionOf } from './visibility.ts';
import type { Visible } from './visibility.ts';

const { v1 } = proto.temporal.api.workflowservice;

export interface ServiceParts {
  simulation: Simulation;
  engine: ExecutionEngine;
  schedules: Schedules;
  namespaceId(): string;
  searchAttributes: ReadonlySet<string>;
}

export type Handler = (request: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** For how long the server lets a caller wait for an update. */
const updateWaitMs = 20_000;
/** For how long it lets one wait for the end of a run. */
const historyWaitMs = 20_000;
/** `temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage`. */
const stages = { admitted: 1, accepted: 2, completed: 3 };
/** How far lists of workflows lag behind, milliseconds. */
const visibilityLagMs = 800;
const defaultTaskTimeoutMs = 10_000;
const noSuchActivity =
  "Can't find pending activity with such ID. Invalid activityID or activity already completed";
const skipOverlap = proto.temporal.api.enums.v1.ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_SKIP;
const activityQueueType = proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY;

const { WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING: useExisting } =
  proto.temporal.api.enums.v1.WorkflowIdConflictPolicy;
const { WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE: rejectDuplicate } =
  proto.temporal.api.enums.v1.WorkflowIdReusePolicy;

const statusNumbers: Record<Status, number> = {
  RUNNING: 1,
  COMPLETED: 2,
  FAILED: 3,
  CANCELED: 4,
  TERMINATED: 5,
  CONTINUED_AS_NEW: 6,
  TIMED_OUT: 7,
};

interface Codec<Request, Response> {
  request: { decode(data: Uint8Array): Request };
  response: { encode(message: Response): { finish(): Uint8Array } };
}

function handler<Request, Response>(
  { request, response }: Codec<Request, Response>,
  answer: (request: Request) => Response | Promise<Response>,
): Handler {
  return async (data) => response.encode(await answer(request.decode(data))).finish();
}

/** By the names of gRPC. A call that is missing here is answered with UNIMPLEMENTED. */
export function createService(parts: ServiceParts): ReadonlyMap<string, Handler> {
  return new Map([...workflowCalls(parts), ...listCalls(parts), ...scheduleCalls(parts)]);
}

function workflowCalls(parts: ServiceParts): [string, Handler][] {
  const { simulation, engine } = parts;
  return [
    [
      'StartWorkflowExecution',
      handler(
        { request: v1.StartWorkflowExecutionRequest, response: v1.StartWorkflowExecutionResponse },
        (request) => ({ runId: engine.start(startOf(request)).run.runId, started: true }),
      ),
    ],
    [
      'SignalWithStartWorkflowExecution',
      handler(
        {
          request: v1.SignalWithStartWorkflowExecutionRequest,
          response: v1.SignalWithStartWorkflowExecutionResponse,
        },
        (request) => {
          const signal = signalOf(request.signalName, request.signalInput?.payloads);
          return { runId: engine.signalWithStart(startOf(request), signal).run.runId };
        },
      ),
    ],
    [
      'SignalWorkflowExecution',
      handler(
        {
          request: v1.SignalWorkflowExecutionRequest,
          response: v1.SignalWorkflowExecutionResponse,
        },
        ({ workflowExecution, signalName, input, requestId }) => {
          const execution = engine.findOpen(...idsOf(workflowExecution));
          execution.signal(signalOf(signalName, input?.payloads), requestId);
          return {};
        },
      ),
    ],
    [
      'TerminateWorkflowExecution',
      handler(
        {
          request: v1.TerminateWorkflowExecutionRequest,
          response: v1.TerminateWorkflowExecutionResponse,
        },
        ({ workflowExecution }) => {
          engine.findOpen(...idsOf(workflowExecution)).end('TERMINATED');
          return {};
        },
      ),
    ],
    [
      'ResetWorkflowExecution',
      handler(
        { request: v1.ResetWorkflowExecutionRequest, response: v1.ResetWorkflowExecutionResponse },
        ({ workflowExecution, workflowTaskFinishEventId, resetReapplyExcludeTypes }) => {
          const eventId = Number(workflowTaskFinishEventId);
          const isReapplied = resetReapplyExcludeTypes.length === 0;
          const [workflowId] = idsOf(workflowExecution);
          return { runId: engine.reset(workflowId, { eventId, isReapplied }).run.runId };
        },
      ),
    ],
    [
      'RequestCancelWorkflowExecution',
      handler(
        {
          request: v1.RequestCancelWorkflowExecutionRequest,
          response: v1.RequestCancelWorkflowExecutionResponse,
        },
        ({ workflowExecution, reason }) => {
          // Of a run that is over it is no error.
          engine.find(...idsOf(workflowExecution)).requestCancel(reason);
          return {};
        },
      ),
    ],
    [
      'DescribeWorkflowExecution',
      handler(
        {
          request: v1.DescribeWorkflowExecutionRequest,
          response: v1.DescribeWorkflowExecutionResponse,
        },
        ({ execution: ids }) => descriptionOf(engine.find(...idsOf(ids))),
      ),
    ],
    [
      'GetWorkflowExecutionHistory',
      handler(
        {
          request: v1.GetWorkflowExecutionHistoryRequest,
          response: v1.GetWorkflowExecutionHistoryResponse,
        },
        async ({ execution: ids }) => {
          const execution = engine.find(...idsOf(ids));
          if (execution.isOpen) await simulation.sleep(historyWaitMs);
          const events = execution.isOpen ? [] : [closeEventOf(execution)];
          return { history: { events } };
        },
      ),
    ],
    [
      'GetWorkflowExecutionHistoryReverse',
      handler(
        {
          request: v1.GetWorkflowExecutionHistoryReverseRequest,
          response: v1.GetWorkflowExecutionHistoryReverseResponse,
        },
        ({ execution: ids, maximumPageSize, nextPageToken }) => {
          const newestFirst = eventsOf(engine.find(...idsOf(ids)).history).toReversed();
          const begin = Number(Buffer.from(nextPageToken).toString());
          const end = begin + maximumPageSize;
          return {
            history: { events: newestFirst.slice(begin, end) },
            ...(end < newestFirst.length && { nextPageToken: Buffer.from(String(end)) }),
          };
        },
      ),
    ],
    [
      'QueryWorkflow',
      handler(
        { request: v1.QueryWorkflowRequest, response: v1.QueryWorkflowResponse },
        async ({ execution: ids, query }) => {
          const execution = engine.find(...idsOf(ids));
          const args = query?.queryArgs?.payloads ?? [];
          const answer = await execution.query(query?.queryType ?? '', args);
          if (answer.succeeded) return { queryResult: { payloads: [answer.value] } };
          throw new GrpcError('INVALID_ARGUMENT', answer.failure.message ?? '');
        },
      ),
    ],
    ...updateCalls(parts),
    [
      'ResetActivity',
      handler(
        { request: v1.ResetActivityRequest, response: v1.ResetActivityResponse },
        ({ execution: ids, id }) => {
          const { activities } = engine.findOpen(...idsOf(ids));
          const activity = [...activities.values()].find(({ spec }) => spec.activityId === id);
          if (!activity) throw new GrpcError('NOT_FOUND', noSuchActivity);
          activity.reset();
          return {};
        },
      ),
    ],
  ];
}

/** All that a client that waits for the result asks for. */
function closeEventOf({
  status,
  result,
  failure,
}: Execution): temporal.api.history.v1.IHistoryEvent {
  switch (status) {
    case 'COMPLETED':
      return {
        workflowExecutionCompletedEventAttributes: {
          result: { payloads: result ? [result] : [] },
        },
      };
    case 'FAILED':
      return { workflowExecutionFailedEventAttributes: { ...(failure && { failure }) } };
    case 'TERMINATED':
      return { workflowExecutionTerminatedEventAttributes: {} };
    case 'TIMED_OUT':
      return { workflowExecutionTimedOutEventAttributes: {} };
    case 'CANCELED':
      return { workflowExecutionCanceledEventAttributes: {} };
    case 'RUNNING':
    case 'CONTINUED_AS_NEW':
      throw new GrpcError('UNIMPLEMENTED', `the end of a run that is ${status}`);
  }
}

function updateCalls({ simulation, engine }: ServiceParts): [string, Handler][] {
  /** As far as it has come within the time that the server leaves a call. */
  async function stateOf(execution: Execution, updateId: string) {
    const ended = execution.updates.outcomeOf(updateId);
    if (!ended) throw new GrpcError('NOT_FOUND', `update "${updateId}" not found`);
    const outcome = await Promise.race([ended, simulation.sleep(updateWaitMs)]);
    const { workflowId, runId } = execution.run;
    const updateRef = { workflowExecution: { workflowId, runId }, updateId };
    if (outcome) return { updateRef, outcome: outcomeMessageOf(outcome), stage: stages.completed };
    const isAccepted = execution.updates.isAccepted(updateId);
    return { updateRef, stage: isAccepted ? stages.accepted : stages.admitted };
  }
  return [
    [
      'UpdateWorkflowExecution',
      handler(
        {
          request: v1.UpdateWorkflowExecutionRequest,
          response: v1.UpdateWorkflowExecutionResponse,
        },
        ({ workflowExecution, request }) => {
          const execution = engine.findOpen(...idsOf(workflowExecution));
          const { meta = {}, input } = request ?? {};
          const id = meta?.updateId ?? '';
          execution.update(id, { meta, ...contentOf(input) });
          return stateOf(execution, id);
        },
      ),
    ],
    [
      'PollWorkflowExecutionUpdate',
      handler(
        {
          request: v1.PollWorkflowExecutionUpdateRequest,
          response: v1.PollWorkflowExecutionUpdateResponse,
        },
        ({ updateRef }) =>
          stateOf(engine.find(...idsOf(updateRef?.workflowExecution)), updateRef?.updateId ?? ''),
      ),
    ],
  ];
}

function contentOf(input: temporal.api.update.v1.IInput | null | undefined) {
  const { name = '', args, header } = input ?? {};
  return { name, input: args?.payloads ?? [], headers: header?.fields ?? {} };
}

function outcomeMessageOf(outcome: UpdateOutcome): temporal.api.update.v1.IOutcome {
  return 'success' in outcome ? { success: { payloads: [outcome.success] } } : outcome;
}

function listCalls(parts: ServiceParts): [string, Handler][] {
  const { simulation, engine, namespaceId } = parts;
  return [
    [
      'ListWorkflowExecutions',
      handler(
        { request: v1.ListWorkflowExecutionsRequest, response: v1.ListWorkflowExecutionsResponse },
        ({ query }) => ({ executions: matching(parts, query).map(infoOf) }),
      ),
    ],
    [
      'CountWorkflowExecutions',
      handler(
        {
          request: v1.CountWorkflowExecutionsRequest,
          response: v1.CountWorkflowExecutionsResponse,
        },
        ({ query }) => ({ count: Long.fromNumber(matching(parts, query).length) }),
      ),
    ],
    [
      'DescribeNamespace',
      handler(
        { request: v1.DescribeNamespaceRequest, response: v1.DescribeNamespaceResponse },
        ({ namespace }) => ({ namespaceInfo: { name: namespace, id: namespaceId() } }),
      ),
    ],
    [
      'DescribeTaskQueue',
      handler(
        { request: v1.DescribeTaskQueueRequest, response: v1.DescribeTaskQueueResponse },
        ({ taskQueue, taskQueueType }) => {
          const name = taskQueue?.name ?? '';
          const isActivity = taskQueueType === activityQueueType;
          const queue = isActivity ? engine.activityQueue(name) : engine.workflowQueue(name);
          const { polledAt, backlogMs } = queue;
          const isRecent = polledAt !== undefined && simulation.now - polledAt < 300_000;
          return {
            pollers: isRecent ? [{ lastAccessTime: partsOf(polledAt) }] : [],
            stats: { approximateBacklogAge: partsOf(backlogMs) },
          };
        },
      ),
    ],
  ];
}

function scheduleCalls({ schedules }: ServiceParts): [string, Handler][] {
  return [
    [
      'CreateSchedule',
      handler(
        { request: v1.CreateScheduleRequest, response: v1.CreateScheduleResponse },
        ({ scheduleId, schedule, memo, searchAttributes }) => {
          schedules.create(scheduleId, {
            schedule: schedule ?? {},
            memo: memo?.fields ?? {},
            searchAttributes: searchAttributes?.indexedFields ?? {},
          });
          return {};
        },
      ),
    ],
    [
      'DescribeSchedule',
      handler(
        { request: v1.DescribeScheduleRequest, response: v1.DescribeScheduleResponse },
        ({ scheduleId }) => schedules.describe(scheduleId),
      ),
    ],
    [
      'UpdateSchedule',
      handler(
        { request: v1.UpdateScheduleRequest, response: v1.UpdateScheduleResponse },
        ({ scheduleId, schedule }) => {
          schedules.update(scheduleId, schedule ?? {});
          return {};
        },
      ),
    ],
    [
      'PatchSchedule',
      handler(
        { request: v1.PatchScheduleRequest, response: v1.PatchScheduleResponse },
        ({ scheduleId, patch }) => {
          const { triggerImmediately, pause = '', unpause = '' } = patch ?? {};
          if (pause) schedules.pause(scheduleId, true, pause);
          if (unpause) schedules.pause(scheduleId, false, unpause);
          if (triggerImmediately) {
            if (triggerImmediately.overlapPolicy !== skipOverlap) {
              throw new GrpcError('UNIMPLEMENTED', 'only runs that are skipped beside another');
            }
            schedules.trigger(scheduleId);
          }
          return {};
        },
      ),
    ],
    [
      'DeleteSchedule',
      handler(
        { request: v1.DeleteScheduleRequest, response: v1.DeleteScheduleResponse },
        ({ scheduleId }) => {
          schedules.delete(scheduleId);
          return {};
        },
      ),
    ],
  ];
}

type StartMessage =
  | temporal.api.workflowservice.v1.StartWorkflowExecutionRequest
  | temporal.api.workflowservice.v1.SignalWithStartWorkflowExecutionRequest;

function startOf(request: StartMessage): StartRequest {
  const { namespace, workflowId, requestId, workflowIdConflictPolicy, workflowIdReusePolicy } =
    request;
  return {
    ...startOfInfo(request),
    namespace,
    workflowId,
    requestId,
    usesExisting: workflowIdConflictPolicy === useExisting,
    rejectsDuplicate: workflowIdReusePolicy === rejectDuplicate,
  };
}

/** Of a request, or of a schedule's action. */
export function startOfInfo(
  info: temporal.api.workflow.v1.INewWorkflowExecutionInfo,
): Omit<StartRequest, 'namespace' | 'requestId'> {
  return {
    ...targetOf(info),
    input: info.input?.payloads ?? [],
    headers: info.header?.fields ?? {},
    taskTimeoutMs: millisecondsOf(info.workflowTaskTimeout) || defaultTaskTimeoutMs,
    executionTimeoutMs: millisecondsOf(info.workflowExecutionTimeout),
    retryPolicy: info.retryPolicy ?? undefined,
    ...shownOf(info),
  };
}

function shownOf({ memo, searchAttributes }: temporal.api.workflow.v1.INewWorkflowExecutionInfo) {
  return { memo: memo?.fields ?? {}, searchAttributes: searchAttributes?.indexedFields ?? {} };
}

function targetOf({
  workflowId,
  workflowType,
  taskQueue,
}: temporal.api.workflow.v1.INewWorkflowExecutionInfo) {
  return {
    workflowId: workflowId ?? '',
    workflowType: workflowType?.name ?? '',
    taskQueue: taskQueue?.name ?? '',
  };
}

function signalOf(signalName: string, input: Payload[] | null | undefined): Job {
  return { signalWorkflow: { signalName, input: input ?? [], identity: '', headers: {} } };
}

function idsOf(
  execution: temporal.api.common.v1.IWorkflowExecution | null | undefined,
): [string, string] {
  return [execution?.workflowId ?? '', execution?.runId ?? ''];
}

function matching(
  { simulation, engine, searchAttributes }: ServiceParts,
  query: string,
): Visible[] {
  const isMatch = conditionOf(query, searchAttributes);
  const horizon = simulation.now - visibilityLagMs;
  const found: Visible[] = [];
  for (const execution of engine.executions()) {
    if (execution.run.runStartedAt > horizon) continue;
    const visible = { execution, isOpen: (execution.closedAt ?? Infinity) > horizon };
    if (isMatch(visible)) found.push(visible);
  }
  return found;
}

function infoOf({ execution, isOpen }: Visible): temporal.api.workflow.v1.IWorkflowExecutionInfo {
  const { run, memo, searchAttributes, status, history, closedAt } = execution;
  const { workflowId, runId, workflowType, taskQueue, runStartedAt } = run;
  return {
    execution: { workflowId, runId },
    type: { name: workflowType },
    taskQueue,
    status: isOpen ? statusNumbers.RUNNING : statusNumbers[status],
    startTime: partsOf(runStartedAt),
    executionTime: partsOf(runStartedAt),
    ...(closedAt !== undefined && !isOpen && { closeTime: partsOf(closedAt) }),
    historyLength: Long.fromNumber(history.length),
    historySizeBytes: Long.fromNumber(history.size),
    memo: { fields: memo },
    searchAttributes: { indexedFields: searchAttributes },
  };
}

function descriptionOf(execution: Execution) {
  return {
    workflowExecutionInfo: infoOf({ execution, isOpen: execution.isOpen }),
    ...(execution.hasPendingTask && { pendingWorkflowTask: {} }),
    pendingActivities: [...execution.activities.values()].map(({ view }) => ({
      activityId: view.activityId,
      activityType: { name: view.activityType },
      state: view.state,
      ...(view.details.length > 0 && { heartbeatDetails: { payloads: [...view.details] } }),
      attempt: view.attempt,
      lastWorkerIdentity: view.lastIdentity,
      ...(view.lastFailure && { lastFailure: view.lastFailure }),
      ...(view.nextAttemptAt !== undefined && {
        nextAttemptScheduleTime: partsOf(view.nextAttemptAt),
      }),
      ...(view.attemptEndedAt !== undefined && {
        lastAttemptCompleteTime: partsOf(view.attemptEndedAt),
      }),
    })),
  };
}
