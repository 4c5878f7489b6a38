/** The worker's part: a span for each attempt of an activity, and one for each operation. */
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { Attributes, Span, SpanContext } from '@opentelemetry/api';
import { SpanStatusCode } from '@opentelemetry/api';
import type { Headers } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import type { CloudRequests } from '../../activities/system/cloud-requests.ts';
import { notingCloudRequests } from '../../activities/system/cloud-requests.ts';
import type { EndedOperation } from '../../workflows/contracts/tracing.ts';
import { activityTraceHeader } from '../../workflows/contracts/tracing.ts';
import type { TraceSinks } from '../../workflows/runtime/trace-interceptors.ts';
import { defined } from '../../workflows/values/defined.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { secretValues } from '../../activities/redaction/secret-values.ts';
import type { Spans } from './tracer.ts';
import { contextOf } from './tracer.ts';

/** Only activities of an operation that is traced. Goes after the interceptor that hands back. */
export function createActivityTraces(spans: Spans): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      async execute(input, next) {
        const parent = parentIn(input.headers);
        if (!parent) return await next(input);
        const attributes = attributesOf(context, input.args[0]);
        const span = spans.begin({ name: context.info.activityType, attributes, parent });
        return await notingCloudRequests(async (requests) => {
          try {
            return await next(input);
          } catch (error) {
            noteFailure(span, error);
            throw error;
          } finally {
            noteRequest(span, requests);
            span.end();
          }
        });
      },
    },
  });
}

/** Where the bundle sends operations that have ended. */
export function createTraceSinks(spans: Spans): InjectedSinks<TraceSinks> {
  const ended = {
    fn: (info: { workflowId: string; runId: string }, operation: EndedOperation): void =>
      tellOperation(spans, info, operation),
    callDuringReplay: false,
  };
  return { millwrightTraces: { ended } };
}

const objectOf = { launch: 'Machine', removal: 'Machine', rollout: 'MachineDeployment' } as const;

function tellOperation(
  spans: Spans,
  { workflowId, runId }: { workflowId: string; runId: string },
  { operation, traceparent, spanId, links, startedAt, ...end }: EndedOperation,
): void {
  const parent = contextOf(traceparent);
  if (!parent) return;
  const { outcome, isFailed, attributes, events, endedAt } = end;
  const run = { temporalWorkflowID: workflowId, temporalRunID: runId };
  const span = spans.begin({
    name: `${operation} ${objectOf[operation]}`,
    attributes: { ...attributes, ...run, 'millwright.outcome': outcome },
    links: links.map(contextOf).filter((link) => link !== undefined),
    parent,
    spanId,
    startedAt,
  });
  for (const { name, at } of events) span.addEvent(secretValues.hide(name), at);
  if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
  span.end(endedAt);
}

function parentIn(headers: Headers): SpanContext | undefined {
  const payload = headers[activityTraceHeader];
  if (!payload) return undefined;
  const carrier: unknown = defaultPayloadConverter.fromPayload(payload);
  return isRecord(carrier) ? contextOf(carrier['traceparent']) : undefined;
}

/** Names alone; what an activity is given may hold more. */
function attributesOf({ info }: Context, request: unknown): Attributes {
  const { workflowExecution, activityId, attempt, isLocal } = info;
  const { machine, deployment, provider, nodeName, providerID } = fieldsOf(request);
  const object = fieldsOf(machine ?? deployment);
  const name = textOf(object['name']);
  return defined({
    'k8s.namespace.name': textOf(object['namespace']),
    'millwright.machine': machine === undefined ? undefined : name,
    'millwright.machine_deployment': deployment === undefined ? undefined : name,
    'millwright.provider': textOf(provider),
    'millwright.provider_id': textOf(providerID),
    'k8s.node.name': textOf(nodeName),
    temporalWorkflowID: workflowExecution?.workflowId,
    temporalRunID: workflowExecution?.runId,
    temporalActivityID: activityId,
    'millwright.attempt': attempt,
    'millwright.is_local': isLocal,
  });
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** No stack: it says nothing of an object. */
function noteFailure(span: Span, error: unknown): void {
  const message = secretValues.hide(error instanceof Error ? error.message : String(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

function noteRequest(span: Span, { id }: CloudRequests): void {
  if (id !== undefined) span.setAttribute('millwright.provider_request_id', id);
}
