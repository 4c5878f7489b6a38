/** What is traced of an object follows from what it is, whatever signals come twice or late. */
import type {
  EndedOperation,
  OperationContext,
  OperationName,
} from '../../../workflows/contracts/tracing.ts';
import { OperationTrace } from '../../../workflows/runtime/operation-trace.ts';

function contextOf(operation: OperationName, digit = 'a'): OperationContext {
  const traceparent = `00-${digit.repeat(32)}-${'1'.repeat(16)}-01`;
  return { operation, traceparent, spanId: digit.repeat(16), links: [] };
}

function aTrace() {
  const ended: EndedOperation[] = [];
  const trace = new OperationTrace((operation) => ended.push(operation));
  const follow = (name: OperationName | undefined, phase: string, isFailed = false): void =>
    trace.follow(() => ({ name, phase, isFailed, attributes: { phase } }));
  return { ended, trace, follow };
}

test('a launch ends when the machine runs, once, with its phases', () => {
  const { ended, trace, follow } = aTrace();
  trace.hear(contextOf('launch'));
  expect(trace.traceparent).toBeUndefined();
  follow('launch', '');
  expect(trace.traceparent).toBe(`00-${'a'.repeat(32)}-${'a'.repeat(16)}-01`);
  follow('launch', 'Pending');
  follow('launch', 'Pending');
  follow(undefined, 'Running');
  follow(undefined, 'Running');
  expect(trace.traceparent).toBeUndefined();
  expect(ended).toMatchObject([
    { operation: 'launch', outcome: 'Running', isFailed: false, events: [{ name: 'Pending' }] },
  ]);
});

test('a machine that is given up has a launch that failed', () => {
  const { ended, trace, follow } = aTrace();
  trace.hear(contextOf('launch'));
  follow('launch', 'Pending');
  follow(undefined, 'Failed', true);
  expect(ended).toMatchObject([{ outcome: 'Failed', isFailed: true }]);
});

test('a deletion ends the launch and begins the removal, which ends with the machine', () => {
  const { ended, trace, follow } = aTrace();
  trace.hear(contextOf('launch'));
  follow('launch', 'Pending');
  trace.hear(contextOf('removal', 'b'));
  follow('removal', 'Pending');
  follow('removal', 'Terminating');
  trace.end('gone');
  trace.end('gone');
  expect(ended.map(({ operation, outcome }) => [operation, outcome])).toEqual([
    ['launch', 'Pending'],
    ['removal', 'gone'],
  ]);
});

test('a signal that is repeated begins nothing, during the operation or after it', () => {
  const { ended, trace, follow } = aTrace();
  trace.hear(contextOf('launch'));
  follow('launch', '');
  trace.hear(contextOf('launch'));
  follow(undefined, 'Running');
  trace.hear(contextOf('launch'));
  follow(undefined, 'Running');
  follow('launch', 'Pending');
  expect(trace.traceparent).toBeUndefined();
  expect(ended).toHaveLength(1);
  expect(ended[0]?.links).toEqual([]);
});

test('a later change during a rollout becomes a link of it, up to a limit', () => {
  const { ended, trace, follow } = aTrace();
  trace.hear(contextOf('rollout'));
  follow('rollout', 'Progressing');
  for (let index = 0; index < 30; index += 1) {
    const hex = index.toString(16).padStart(2, '0').repeat(16);
    trace.hear({ ...contextOf('rollout'), traceparent: `00-${hex}-${'2'.repeat(16)}-01` });
  }
  follow(undefined, 'Complete');
  expect(ended[0]?.links).toHaveLength(20);
});

test('a run hands what is going on to the next', () => {
  const first = aTrace();
  first.trace.hear(contextOf('removal'));
  first.follow('removal', 'Terminating');
  const carried = first.trace.carry();
  expect(first.ended).toEqual([]);
  const next = aTrace();
  next.trace.resume(JSON.parse(JSON.stringify(carried)));
  next.follow('removal', 'Terminating');
  next.trace.end('gone');
  expect(next.ended).toMatchObject([{ outcome: 'gone', events: [{ name: 'Terminating' }] }]);
});

test('without a context nothing is asked, kept or told', () => {
  const { ended, trace } = aTrace();
  trace.follow(() => {
    throw new Error('it was asked');
  });
  trace.note('x');
  trace.end('gone');
  expect(ended).toEqual([]);
  expect(trace.carry()).toBeUndefined();
});
