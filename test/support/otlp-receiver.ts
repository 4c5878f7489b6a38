/** A receiver of OTLP over HTTP with JSON, which keeps the spans that it gets. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening, type Listening } from './listening.ts';

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  events: string[];
  /** 2: an error. */
  status: number;
  /** Nanoseconds. */
  start: bigint;
  end: bigint;
}

export interface OtlpReceiver extends Listening {
  readonly spans: readonly ReceivedSpan[];
  /** All that was received, as it came. */
  readonly bodies: readonly string[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void take(request, response);
  });
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await receive(request);
    bodies.push(JSON.stringify(body));
    spans.push(...spansIn(body));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }

  return { ...(await listening(server)), spans, bodies };
}

interface Body {
  resourceSpans?: {
    resource?: { attributes?: KeyValue[] };
    scopeSpans?: { spans?: OtlpSpan[] }[];
  }[];
}

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean };
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  links?: { traceId: string; spanId: string }[];
  events?: { name: string }[];
  status?: { code?: number };
}

async function receive(request: IncomingMessage): Promise<Body> {
  if (request.url !== '/v1/traces') throw new Error(`nobody serves ${request.url}`);
  const body: Body = Object(await json(request));
  return body;
}

function spansIn({ resourceSpans = [] }: Body): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(valuesOf(resource?.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => spanOf(service, span)));
  });
}

function spanOf(service: string, span: OtlpSpan): ReceivedSpan {
  const { traceId, spanId, parentSpanId = '', name, links = [], events = [] } = span;
  return {
    service,
    traceId,
    spanId,
    parentSpanId,
    name,
    attributes: valuesOf(span.attributes),
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    events: events.map((event) => event.name),
    status: span.status?.code ?? 0,
    start: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
  };
}

function valuesOf(attributes: KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? intValue ?? boolValue,
    ]),
  );
}
