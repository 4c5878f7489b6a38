/**
 * The SDK of OpenTelemetry, which is loaded only where traces are on. Where spans go, and how many
 * are kept, say its own variables (`OTEL_*`): docs/tracing.md.
 */
import type { Attributes, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { DiagLogLevel, ROOT_CONTEXT, TraceFlags, diag, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { IdGenerator, Sampler } from '@opentelemetry/sdk-trace';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Component } from '../config/flags/flag.ts';
import { version } from '../config/version.ts';
import { hide } from '../../activities/redaction/hide.ts';
import { secretValues } from '../../activities/redaction/secret-values.ts';

export interface TracerOptions {
  component: Component;
  identity: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Spans cannot be exported, or a variable is not understood. */
  onTrouble(message: string): void;
}

export interface SpanToBegin {
  name: string;
  attributes: Attributes;
  links?: SpanContext[];
  /** Default: the beginning of a trace. */
  parent?: SpanContext | undefined;
  /** Id of the trace, where it begins one. Default: drawn. */
  traceId?: string;
  /** Default: drawn. */
  spanId?: string;
  /** Milliseconds. Default now. */
  startedAt?: number;
}

export interface Spans {
  begin(span: SpanToBegin): Span;
  /** Reports whether the trace of this id is kept. */
  keeps(traceId: string): boolean;
  /** Exports what there is. */
  close(): Promise<void>;
}

export function openTracer({ component, identity, env, onTrouble }: TracerOptions): Spans {
  diag.setLogger(loggerOf(onTrouble), {
    logLevel: DiagLogLevel.WARN,
    suppressOverrideMessage: true,
  });
  const ids = new ChosenIds();
  const root = samplerOf(env);
  const provider = new TracerProvider({
    resource: resourceOf(component, identity),
    sampler: new ParentBasedSampler({ root }),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('millwright', version);
  return {
    begin: (span) => begin({ tracer, ids }, span),
    keeps: (traceId) => isKept(root, traceId),
    close: () => provider.shutdown(),
  };
}

/** Ours, unless OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say otherwise. */
function resourceOf(component: Component, identity: string) {
  const own = resourceFromAttributes({
    'service.name': `millwright-${component}`,
    'service.version': version,
    'service.instance.id': identity,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** As OTEL_TRACES_SAMPLER says. A trace is kept as a whole: "parentbased_" makes no difference. */
function samplerOf(env: TracerOptions['env']): Sampler {
  const kind = env['OTEL_TRACES_SAMPLER']?.replace(/^parentbased_/, '');
  if (kind === 'always_off') return new AlwaysOffSampler();
  if (kind !== 'traceidratio') return new AlwaysOnSampler();
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? '1');
  return new TraceIdRatioBasedSampler(ratio);
}

function isKept(sampler: Sampler, traceId: string): boolean {
  const { decision } = sampler.shouldSample(ROOT_CONTEXT, traceId, '', 0, {}, []);
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}

/** Those of the next span, or else random ones. */
class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  next: { traceId?: string | undefined; spanId?: string | undefined } = {};

  generateTraceId(): string {
    return this.next.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.next.spanId ?? this.#random.generateSpanId();
  }
}

function begin({ tracer, ids }: { tracer: Tracer; ids: ChosenIds }, span: SpanToBegin): Span {
  const { name, attributes, links = [], parent, traceId, spanId, startedAt } = span;
  ids.next = { traceId, spanId };
  try {
    const options = {
      attributes: withoutSecrets(attributes),
      links: links.map((context) => ({ context })),
      ...(startedAt !== undefined && { startTime: startedAt }),
    };
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    return tracer.startSpan(name, options, context);
  } finally {
    ids.next = {};
  }
}

function withoutSecrets(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' ? hide(value) : value,
    ]),
  );
}

/** Context of a span elsewhere. Undefined where it makes no sense, or its trace is not kept. */
export function contextOf(traceparent: unknown): SpanContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const found = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(traceparent);
  const [, traceId = '', spanId = '', flags = ''] = found ?? [];
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) > 0;
  if (!found || !isSampled) return undefined;
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

const leave = (): void => {};

function loggerOf(onTrouble: TracerOptions['onTrouble']) {
  const write = (message: string): void => onTrouble(secretValues.hide(message));
  return { error: write, warn: write, info: leave, debug: leave, verbose: leave };
}
