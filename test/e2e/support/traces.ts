/** Spans of a scenario: received, found by what they are about, and compared with their trace. */
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import type { OtlpReceiver, ReceivedSpan } from '../../support/otlp-receiver.ts';
import { eventually } from '../../support/eventually.ts';

export interface Traces {
  /** Of watcher and worker, which send their spans there. */
  env(): Record<string, string>;
  readonly receiver: OtlpReceiver;
  /** Of the operation that has ended. */
  operation(name: string, object: object): Promise<ReceivedSpan>;
  /** All spans of the same trace, the earliest first. */
  traceOf(span: ReceivedSpan): ReceivedSpan[];
  /** The root is the watcher's, the operation below it, and all the others below that. */
  expectShape(span: ReceivedSpan, signal: string): Promise<ReceivedSpan>;
}

/**
 * A receiver for the tests of a file. Before its scenarios: their processes ask for its address.
 */
export function useTraces(): Traces {
  let started: OtlpReceiver | undefined;
  const receiver = (): OtlpReceiver => {
    if (started === undefined) throw new Error('the receiver of spans has not started');
    return started;
  };
  beforeAll(async () => {
    started = await startOtlpReceiver();
  });
  afterAll(() => started?.close());

  function traceOf({ traceId }: ReceivedSpan): ReceivedSpan[] {
    return receiver()
      .spans.filter((span) => span.traceId === traceId)
      .toSorted((a, b) => (a.start < b.start ? -1 : 1));
  }

  return {
    env: () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver().url }),
    get receiver() {
      return receiver();
    },
    traceOf,
    operation: (name, object) =>
      eventually(`the trace "${name}" has arrived`, async () => {
        const found = receiver().spans.filter((span) => span.name === name);
        const own = found.filter(({ attributes }) =>
          Object.entries(object).every(([key, value]) => attributes[key] === value),
        );
        expect(own).toHaveLength(1);
        return first(own);
      }),
    expectShape: (span, signal) =>
      eventually(`the trace of "${span.name}" is whole`, async () => {
        const spans = traceOf(span);
        const roots = spans.filter(({ parentSpanId }) => parentSpanId === '');
        expect(roots).toMatchObject([{ name: `signal ${signal}`, service: 'millwright-watcher' }]);
        const root = first(roots);
        expect(span).toMatchObject({ parentSpanId: root.spanId, service: 'millwright-worker' });
        const others = spans.filter((other) => other !== root && other !== span);
        for (const other of others) expect(other.parentSpanId).toBe(span.spanId);
        expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
        expect(others.every(({ start }) => start >= root.start)).toBe(true);
        return root;
      }),
  };
}

export function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('there is none');
  return item;
}
