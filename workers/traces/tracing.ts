/** All that a process has for traces. Loaded only where they are on. */
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { after, monotonicMs } from '../../activities/system/system.ts';
import type { TraceSinks } from '../../workflows/runtime/trace-interceptors.ts';
import type { Logger } from '../log/logger.ts';
import { RepeatedFailures } from '../log/repeated-failures.ts';
import { SignalTraces } from './signal-traces.ts';
import type { TracerOptions, Spans } from './tracer.ts';
import { openTracer, contextOf } from './tracer.ts';
import type { Context } from '@temporalio/activity';
import type { Attributes, Span, SpanContext } from '@opentelemetry/api';
import { SpanStatusCode } from '@opentelemetry/api';
import type { Headers } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import type { CloudRequests } from '../../activities/system/cloud-requests.ts';
import { notingCloudRequests } from '../../activities/system/cloud-requests.ts';
import type { EndedOperation } from '../../workflows/contracts/tracing.ts';
import { activityTraceHeader } from '../../workflows/contracts/tracing.ts';
import { defined } from '../../workflows/values/defined.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { secretValues } from '../../activities/redaction/secret-values.ts';

export interface Tracing {
  /** Traces of the watcher's signals. */
  signals: SignalTraces;
  /** Interceptors of the worker's activities. */
  activities: ActivityInterceptorsFactory;
  /** Sinks of the worker's workflows. */
  sinks: InjectedSinks<TraceSinks>;
  close(): Promise<void>;
}

/** How long the end of a process waits for a collector that does not answer. */
const closeWithinMs = 3_000;

export function openTracing({
  log,
  ...options
}: Omit<TracerOptions, 'onTrouble'> & { log: Logger }): Tracing {
  const failures = new RepeatedFailures({
    write: (level, { message, fields }) => log[level](fields, message),
    now: monotonicMs,
    after: (milliseconds, action) => void after(milliseconds, action, { keepsAlive: false }),
  });
  const onTrouble = (reason: string): void =>
    failures.take({ message: 'traces cannot be exported', fields: { error: new Error(reason) } });
  const spans = openTracer({ ...options, onTrouble });
  return {
    signals: new SignalTraces(spans),
    activities: createActivityTraces(spans),
    sinks: createTraceSinks(spans),
    close: () => within(closeWithinMs, spans.close()),
  };
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise: limit, resolve } = Promise.withResolvers<void>();
  const timer = after(milliseconds, resolve);
  await Promise.race([work, limit]).finally(() => timer.cancel());
}

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
function createTraceSinks(spans: Spans): InjectedSinks<TraceSinks> {
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
