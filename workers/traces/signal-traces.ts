/** The watcher's part: the first span of each trace, and the headers that hand it on. */
import { createHash } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import { defaultPayloadConverter } from '@temporalio/common';
import { nowMs } from '../../activities/system/system.ts';
import type { Signal, SignalTrace, OperationOrigin } from '../../watcher/dispatch/signal.ts';
import type { OperationContext } from '../../workflows/contracts/tracing.ts';
import { signalTraceHeader } from '../../workflows/contracts/tracing.ts';
import { withHeaders } from './outgoing-headers.ts';
import type { Spans } from './tracer.ts';
import { contextOf } from './tracer.ts';

/** Traces whose first span is known to have been made, at most. */
const knownMax = 10_000;

export interface SignalPlace {
  /** Id of the control cluster. */
  cluster: string;
  namespace: string;
}

export class SignalTraces {
  readonly #spans: Spans;
  /** When each was first tried; undefined: it was delivered. */
  readonly #known = new Map<string, number | undefined>();

  constructor(spans: Spans) {
    this.#spans = spans;
  }

  /** `send` delivers the signal; it is called again when it fails. */
  async deliver<T>(signal: Signal, place: SignalPlace, send: () => Promise<T>): Promise<T> {
    const { trace } = signal;
    const ids = trace && idsOf(place.cluster, trace);
    if (!trace || !ids || !this.#spans.keeps(ids.traceId)) return await send();
    const begunAt = this.#begunAt(ids.traceId);
    const links = trace.cause ? [traceparentOf(idsOf(place.cluster, trace.cause))] : [];
    const outcome = await withHeaders(headersOf(trace, ids, links), send);
    if (begunAt !== undefined) this.#record(signal, place, { ids, begunAt, links });
    return outcome;
  }

  /** Undefined: its span was made. */
  #begunAt(traceId: string): number | undefined {
    if (this.#known.has(traceId)) return this.#known.get(traceId);
    const now = nowMs();
    this.#known.set(traceId, now);
    const [oldest] = this.#known.keys();
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
    return now;
  }

  #record(
    { name, kind, object }: Signal,
    { namespace }: SignalPlace,
    { ids, begunAt, links }: { ids: TraceIds; begunAt: number; links: string[] },
  ): void {
    this.#known.set(ids.traceId, undefined);
    const { traceId, signalSpanId: spanId } = ids;
    const attributes = {
      'k8s.namespace.name': namespace,
      [kind === 'machine' ? 'millwright.machine' : 'millwright.machine_deployment']: object,
    };
    this.#spans
      .begin({
        name: `signal ${name}`,
        attributes,
        links: links.map(contextOf).filter(isThere),
        traceId,
        spanId,
        startedAt: begunAt,
      })
      .end();
  }
}

function headersOf({ operation }: SignalTrace, ids: TraceIds, links: string[]) {
  const context: OperationContext = {
    operation,
    traceparent: traceparentOf(ids),
    spanId: ids.operationSpanId,
    links,
  };
  return { [signalTraceHeader]: defaultPayloadConverter.toPayload(context) };
}

const isThere = (context: SpanContext | undefined): context is SpanContext => context !== undefined;

/**
 * Ids of traces and spans. They are worked out from the object: a watcher that signals a change
 * again, or the next one that leads, means the same trace, and another trace can be linked without
 * asking anybody.
 */
interface TraceIds {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** Span of the root, the watcher's signal; 16 digits. */
  signalSpanId: string;
  /** Span of the operation; 16 digits. */
  operationSpanId: string;
}

/** @param cluster Id of the control cluster. */
function idsOf(cluster: string, { operation, uid, generation = 0 }: OperationOrigin): TraceIds {
  const digest = createHash('sha256')
    .update(JSON.stringify(['millwright', cluster, operation, uid, generation]))
    .digest('hex');
  return {
    traceId: digest.slice(0, 32),
    signalSpanId: digest.slice(32, 48),
    operationSpanId: digest.slice(48, 64),
  };
}

/** Context of the root, as W3C writes it, sampled. */
function traceparentOf({ traceId, signalSpanId }: TraceIds): string {
  return `00-${traceId}-${signalSpanId}-01`;
}
