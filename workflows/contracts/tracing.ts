/**
 * Context that watcher, workflows and activities hand on so that an operation is one trace
 * (docs/tracing.md). It stands in headers of Temporal, in clear: ids, and nothing of an object.
 */

/** From the coming of a Machine until it runs, from its deletion until it is gone; a rollout. */
export type OperationName = 'launch' | 'removal' | 'rollout';

/** Header of a signal; absent where the watcher traces nothing. */
export const signalTraceHeader = 'millwright-trace';
/** Header of an activity: a carrier of W3C trace context, as the SDKs of Temporal name it. */
export const activityTraceHeader = '_tracer-data';
/**
 * In the input of the next run: the operation that is going on. In no header, as it says what the
 * object is called, and where its instance is: only payloads are encrypted.
 */
export const carriedTraceField = 'carriedTrace';

export interface OperationContext {
  operation: OperationName;
  /** W3C `traceparent` of the span of the watcher's signal, which is the root of the trace. */
  traceparent: string;
  /** The span of the operation gets this id, 16 hexadecimal digits. */
  spanId: string;
  /** `traceparent` of what brought it about. */
  links: string[];
}

export type SpanAttributes = Record<string, string | number | boolean>;

export interface OperationEvent {
  name: string;
  /** Milliseconds. */
  at: number;
}

/** An operation that has ended, for the sink `millwrightTraces`. Times in milliseconds. */
export interface EndedOperation extends OperationContext {
  startedAt: number;
  endedAt: number;
  /** The result in a word. */
  outcome: string;
  isFailed: boolean;
  attributes: SpanAttributes;
  events: OperationEvent[];
}

/** State of an object for its trace. */
export interface OperationView {
  /** Undefined: nothing is going on. */
  name: OperationName | undefined;
  /** Each new one is an event of the span. */
  phase: string;
  isFailed: boolean;
  attributes: SpanAttributes;
}

/** The traces of a run. Without a context that a signal brought nothing happens. */
export interface Operations {
  /** To be called in each turn; `view` is asked for only where there is something to trace. */
  follow(view: () => OperationView): void;
  note(event: string): void;
  end(outcome: string): void;
}
