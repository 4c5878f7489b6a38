/** The watcher's spans: one for each operation, with headers on each signal of it. */
import type { Span } from '@opentelemetry/api';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers, Payload } from '@temporalio/common';
import type { Signal, SignalTrace } from '../../../watcher/dispatch/signal.ts';
import { headerInterceptor } from '../../../workers/traces/outgoing-headers.ts';
import { SignalTraces } from '../../../workers/traces/signal-traces.ts';
import type { SpanToBegin } from '../../../workers/traces/tracer.ts';

const place = { cluster: 'c', namespace: 'shoot' };
const launch: SignalTrace = { operation: 'launch', uid: 'u' };
const rollout: SignalTrace = { operation: 'rollout', uid: 'd', generation: 3 };

function signalOf(trace?: SignalTrace): Signal {
  const version = { cluster: 'c', epoch: 1, resourceVersion: '1' };
  return {
    kind: 'machine',
    object: 'pool-a',
    name: 'machineGone',
    payload: { ...version, uid: 'u' },
    cause: { resource: 'machines', resourceVersion: '1' },
    ...(trace && { trace }),
  };
}

function aWatcher({ keeps = true } = {}) {
  const spans: SpanToBegin[] = [];
  const ended: unknown[] = [];
  const traces = new SignalTraces({
    begin(span) {
      spans.push(span);
      const made: Pick<Span, 'end'> = { end: () => ended.push(span) };
      return Object(made);
    },
    keeps: () => keeps,
    close: async () => {},
  });
  return { spans, ended, traces };
}

/** What the client of Temporal sends. */
async function sentHeaders(): Promise<Headers> {
  let headers: Headers = {};
  await headerInterceptor.signal?.(Object({ headers: {} }), async (input) => {
    headers = input.headers;
  });
  return headers;
}

const fails = (): Promise<never> => Promise.reject(new Error('Temporal is away'));

function valueOf(payload: Payload | undefined): unknown {
  return payload && defaultPayloadConverter.fromPayload(payload);
}

/** What a watcher that has just begun sends. */
async function idsOf(trace: SignalTrace, cluster = 'c'): Promise<unknown> {
  const { traces } = aWatcher();
  const headers = await traces.deliver(signalOf(trace), { ...place, cluster }, sentHeaders);
  return valueOf(headers['millwright-trace']);
}

test('a signal of an operation carries its ids, and those of what brought it about', async () => {
  const { traces, spans, ended } = aWatcher();
  const signal = signalOf({ ...launch, cause: rollout });
  const headers = await traces.deliver(signal, place, sentHeaders);
  const [span] = spans;
  expect(valueOf(headers['millwright-trace'])).toEqual({
    operation: 'launch',
    traceparent: `00-${span?.traceId}-${span?.spanId}-01`,
    spanId: expect.stringMatching(/^[\da-f]{16}$/),
    links: [expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/)],
  });
  expect(span).toMatchObject({
    name: 'signal machineGone',
    attributes: { 'k8s.namespace.name': 'shoot', 'millwright.machine': 'pool-a' },
  });
  expect(span?.links).toHaveLength(1);
  expect(ended).toHaveLength(1);
});

test('the span is made once, when the first signal has arrived', async () => {
  const { traces, spans } = aWatcher();
  await expect(traces.deliver(signalOf(launch), place, fails)).rejects.toThrow('away');
  expect(spans).toEqual([]);
  await traces.deliver(signalOf(launch), place, sentHeaders);
  const again = await traces.deliver(signalOf(launch), place, sentHeaders);
  expect(spans).toHaveLength(1);
  expect(again).toHaveProperty('millwright-trace');
});

test('another watcher gives the same ids, another cluster, object or generation others', async () => {
  expect(await idsOf(rollout)).toEqual(await idsOf(rollout));
  const all = [
    await idsOf(rollout),
    await idsOf(rollout, 'other'),
    await idsOf({ ...rollout, generation: 4 }),
    await idsOf({ ...rollout, uid: 'e' }),
  ];
  expect(new Set(all.map((ids) => JSON.stringify(ids))).size).toBe(4);
});

test.each([
  { what: 'that begins nothing', trace: undefined, keeps: true },
  { what: 'whose trace is not kept', trace: launch, keeps: false },
])('a signal $what has no header and no span', async ({ trace, keeps }) => {
  const { traces, spans } = aWatcher({ keeps });
  expect(await traces.deliver(signalOf(trace), place, sentHeaders)).toEqual({});
  expect(spans).toEqual([]);
});
