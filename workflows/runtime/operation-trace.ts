/**
 * The operation of an object that is going on, as a span. It draws no random numbers and gives no
 * commands: a worker without traces replays the same.
 */
import type {
  EndedOperation,
  OperationContext,
  OperationEvent,
  Operations,
  OperationView,
  SpanAttributes,
} from '../contracts/tracing.ts';

const linksMax = 20;
const eventsMax = 100;

interface Heard {
  context: OperationContext;
  heardAt: number;
}

interface Running extends Heard {
  phase: string;
  attributes: SpanAttributes;
  events: OperationEvent[];
}

/** State that a run hands to the next. */
export interface CarriedTrace {
  heard: Heard[];
  running?: Running;
}

export class OperationTrace implements Operations {
  readonly #onEnd: (ended: EndedOperation) => void;
  readonly #heard = new Map<string, Heard>();
  #running: Running | undefined;

  constructor(onEnd: (ended: EndedOperation) => void) {
    this.#onEnd = onEnd;
  }

  /** A signal brought it. */
  hear(context: OperationContext): void {
    const known = this.#running?.context;
    if (known?.operation !== context.operation) {
      this.#heard.set(context.operation, { context, heardAt: Date.now() });
      return;
    }
    const { traceparent } = context;
    const isKnown = known.traceparent === traceparent || known.links.includes(traceparent);
    if (!isKnown && known.links.length < linksMax) known.links.push(traceparent);
  }

  /** `traceparent` of the operation that is going on. */
  get traceparent(): string | undefined {
    const context = this.#running?.context;
    return context && ofSpan(context.traceparent, context.spanId);
  }

  follow(viewOf: () => OperationView): void {
    if (!this.#running && this.#heard.size === 0) return;
    const view = viewOf();
    const { name, phase, attributes } = view;
    const known = this.#running;
    if (known && known.context.operation !== name) this.#end(known, view);
    if (name !== undefined) this.#begin(name);
    // The changes that were heard of brought about no operation.
    else this.#heard.clear();
    const running = this.#running;
    if (!running) return;
    if (phase !== running.phase && phase !== '') this.note(phase);
    Object.assign(running, { phase, attributes });
  }

  note(event: string): void {
    const events = this.#running?.events;
    if (events && events.length < eventsMax) events.push({ name: event, at: Date.now() });
  }

  end(outcome: string): void {
    const running = this.#running;
    if (running) this.#end(running, { ...running, phase: outcome, isFailed: false });
  }

  carry(): CarriedTrace | undefined {
    const running = this.#running;
    const heard = [...this.#heard.values()];
    if (!running && heard.length === 0) return undefined;
    return { heard, ...(running && { running }) };
  }

  resume({ heard, running }: CarriedTrace): void {
    this.#running = running;
    for (const one of heard) this.#heard.set(one.context.operation, one);
  }

  #begin(name: string): void {
    const heard = this.#heard.get(name);
    if (this.#running || !heard) return;
    this.#heard.delete(name);
    this.#running = { ...heard, phase: '', attributes: {}, events: [] };
  }

  #end(
    { context, heardAt, events, attributes: before }: Running,
    { phase, isFailed, attributes }: Pick<OperationView, 'phase' | 'isFailed' | 'attributes'>,
  ): void {
    this.#running = undefined;
    const times = { startedAt: heardAt, endedAt: Date.now() };
    const facts = { attributes: { ...before, ...attributes }, events };
    this.#onEnd({ ...context, ...times, ...facts, outcome: phase, isFailed });
  }
}

/** The same trace, and another span of it. */
function ofSpan(traceparent: string, spanId: string): string {
  const [version, traceId, , flags] = traceparent.split('-');
  return [version, traceId, spanId, flags].join('-');
}
