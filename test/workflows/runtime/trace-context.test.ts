/** Whoever can write to Temporal can write headers: those that make no sense harm no run. */
import { defaultPayloadConverter } from '@temporalio/common';
import { carriedIn, contextIn } from '../../../workflows/runtime/trace-interceptors.ts';

const traceparent = `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01`;
const context = {
  operation: 'launch',
  traceparent,
  spanId: 'b'.repeat(16),
  links: [traceparent],
};
const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);

test('a context is read as it was written', () => {
  expect(contextIn(payloadOf(context))).toEqual(context);
  const running = { context, heardAt: 1, phase: '', attributes: {}, events: [] };
  const carried = { heard: [{ context, heardAt: 1 }], running };
  expect(carriedIn(carried)).toEqual(carried);
  expect(carriedIn({ heard: [] })).toEqual({ heard: [] });
});

test.each([
  ['nothing', undefined],
  ['a text', 'launch'],
  ['another operation', { ...context, operation: 'attack' }],
  ['no links', { ...context, links: undefined }],
  ['links that are none', { ...context, links: [7] }],
  ['too many links', { ...context, links: Array.from({ length: 21 }, () => traceparent) }],
  ['another traceparent', { ...context, traceparent: 'x' }],
  ['a long span', { ...context, spanId: 'b'.repeat(10_000) }],
])('%s is no context', (_what, value) => {
  expect(contextIn(value === undefined ? undefined : payloadOf(value))).toBeUndefined();
  expect(carriedIn({ heard: [{ context: value, heardAt: 1 }] })).toBeUndefined();
});

test('a payload that cannot be decoded is no context', () => {
  const metadata = { encoding: new TextEncoder().encode('binary/encrypted') };
  expect(contextIn({ metadata, data: new Uint8Array([1]) })).toBeUndefined();
});

test('an operation that is going on must be whole', () => {
  const running = { context, heardAt: 1, phase: '' };
  expect(carriedIn({ heard: [], running })).toBeUndefined();
});
