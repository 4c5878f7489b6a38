/**
 * Takes the trace context out of signals and puts it on activities and on the next run. Without one
 * it only reads the headers: docs/decisions/0050-traces.md.
 */
import type { Sink, Sinks, WorkflowInterceptors } from '@temporalio/workflow';
import { proxySinks } from '@temporalio/workflow';
import { defaultPayloadConverter } from '@temporalio/common';
import type { EndedOperation } from '../contracts/tracing.ts';
import { activityTraceHeader, carriedTraceField, signalTraceHeader } from '../contracts/tracing.ts';
import { isRecord } from '../values/is-record.ts';
import { OperationTrace } from './operation-trace.ts';
import { carriedIn, contextIn } from './trace-context.ts';

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
          const announced = Object.defineProperty(own, 'operations', { value: trace });
          return next({ ...input, args: [announced, ...others] });
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
