/**
 * Takes the trace context out of signals and puts it on activities and on the next run. Without one
 * it only reads the headers: docs/decisions/0050-traces.md.
 */
import type { Sink, Sinks, WorkflowInterceptors } from '@temporalio/workflow';
import { proxySinks } from '@temporalio/workflow';
import type { Payload } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import type { EndedOperation, OperationContext } from '../contracts/tracing.ts';
import { activityTraceHeader, carriedTraceField, signalTraceHeader } from '../contracts/tracing.ts';
import { isRecord } from '../values/is-record.ts';
import type { CarriedTrace } from './operation-trace.ts';
import { OperationTrace } from './operation-trace.ts';

export interface TraceSinks extends Sinks {
  millwrightTraces: Sink & {
    /** Called once for each, and not in a replay. */
    ended(operation: EndedOperation): void;
  };
}

/** Called by the SDK for each run. */
export function interceptors(): WorkflowInterceptors {
  const { millwrightTraces } = proxySinks<TraceSinks>();
  const trace = new OperationTrace((ended) => millwrightTraces.ended(ended));
  const headersOfActivity = () => {
    const { traceparent } = trace;
    if (traceparent === undefined) return undefined;
    return { [activityTraceHeader]: defaultPayloadConverter.toPayload({ traceparent }) };
  };
  return {
    inbound: [
      {
        execute(input, next) {
          const [first, ...others] = input.args;
          if (!isRecord(first) || !('ref' in first)) return next(input);
          const { [carriedTraceField]: before, ...own } = first;
          const carried = carriedIn(before);
          if (carried) trace.resume(carried);
          // In no copy of the input, and in no payload.
          const extended = Object.defineProperty(own, 'operations', { value: trace });
          return next({ ...input, args: [extended, ...others] });
        },
        handleSignal(input, next) {
          const context = contextIn(input.headers[signalTraceHeader]);
          if (context) trace.hear(context);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity(input, next) {
          const headers = headersOfActivity();
          return next(headers ? { ...input, headers: { ...input.headers, ...headers } } : input);
        },
        scheduleLocalActivity(input, next) {
          const headers = headersOfActivity();
          return next(headers ? { ...input, headers: { ...input.headers, ...headers } } : input);
        },
        continueAsNew(input, next) {
          const carried = trace.carry();
          const [first, ...others] = input.args;
          if (!carried || !isRecord(first)) return next(input);
          return next({ ...input, args: [{ ...first, [carriedTraceField]: carried }, ...others] });
        },
      },
    ],
  };
}

/** A senseless value is none: a trace must harm no run. */
const operations: readonly unknown[] = ['launch', 'removal', 'rollout'];
const traceparentForm = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const spanForm = /^[\da-f]{16}$/;
const linksMax = 20;

export function contextIn(payload: Payload | undefined): OperationContext | undefined {
  const value = valueOf(payload);
  return isContext(value) ? value : undefined;
}

/** Reads the trace of the run before. */
export function carriedIn(value: unknown): CarriedTrace | undefined {
  return isCarried(value) ? value : undefined;
}

function valueOf(payload: Payload | undefined): unknown {
  if (!payload) return undefined;
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}

function isContext(value: unknown): value is OperationContext {
  if (!isRecord(value)) return false;
  const { operation, traceparent, spanId, links } = value;
  return (
    operations.includes(operation) &&
    matches(traceparent, traceparentForm) &&
    matches(spanId, spanForm) &&
    Array.isArray(links) &&
    links.length <= linksMax &&
    links.every((link) => matches(link, traceparentForm))
  );
}

function isCarried(value: unknown): value is CarriedTrace {
  if (!isRecord(value) || !Array.isArray(value['heard'])) return false;
  const { heard, running } = value;
  const all: unknown[] = running === undefined ? heard : [...heard, running];
  return all.every(isHeard) && (running === undefined || hasEvents(running));
}

function isHeard(value: unknown): boolean {
  return isRecord(value) && typeof value['heardAt'] === 'number' && isContext(value['context']);
}

function hasEvents(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['events']) && isRecord(value['attributes']);
}

function matches(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}
