/** Steps of histories, and of objects. */
import { formatSpan } from '../../cli/timeline/timeline.ts';
import { lifeOfObjects } from '../../cli/timeline/timeline.ts';
import type { HistoryEvent } from '../../cli/timeline/from-temporal.ts';
import { stepsOf } from '../../cli/timeline/from-temporal.ts';
import { merged } from '../../cli/timeline/step.ts';
import type { Step } from '../../cli/timeline/step.ts';
import { aMachine, minutesAgo, running } from './diagnosis/objects.ts';

const wait = (start: number, end: number | undefined, name = 'a'): Step => ({
  kind: 'wait',
  name,
  start,
  end,
  times: 1,
});
const write = (start: number): Step => ({ ...wait(start, start + 5, 'check'), kind: 'write' });

test('what follows at once is one wait, with the checks between as one line', () => {
  expect(merged([wait(0, 60_000), write(60_000), wait(60_010, 120_000), write(120_000)])).toEqual([
    { ...wait(0, 120_000), times: 2 },
    { ...write(60_000), end: 120_005, times: 2 },
  ]);
});

test('what comes back later is another step', () => {
  expect(merged([wait(0, 1_000), wait(1_000, 50_000, 'b'), wait(50_000, 60_000)])).toHaveLength(3);
});

function anEvent(eventId: number, seconds: number, attributes: object): HistoryEvent {
  const event: object = { eventId, eventTime: { seconds, nanos: 0 }, ...attributes };
  return event;
}

const read = (payload: object) =>
  Promise.resolve(
    'data' in payload
      ? 'waits for room'
      : {
          activity_type: 'recordFailure',
          attempt: 1,
          original_schedule_time: { seconds: 20, nanos: 5e6 },
          complete_time: { seconds: 20, nanos: 9e6 },
        },
  );

test('a history has activities with their attempts, waits, writes and commands', async () => {
  const events = [
    anEvent(1, 10, { workflowExecutionStartedEventAttributes: { continuedExecutionRunId: 'r0' } }),
    anEvent(2, 11, {
      activityTaskScheduledEventAttributes: { activityType: { name: 'createInstance' } },
    }),
    anEvent(3, 12, { activityTaskStartedEventAttributes: { scheduledEventId: 2, attempt: 3 } }),
    anEvent(4, 13, {
      activityTaskFailedEventAttributes: {
        scheduledEventId: 2,
        failure: { message: 'Activity failed', cause: { message: 'quota' } },
      },
    }),
    anEvent(5, 13, { timerStartedEventAttributes: {}, userMetadata: { summary: { data: 'x' } } }),
    anEvent(6, 14, { workflowExecutionSignaledEventAttributes: { signalName: 'retryNow' } }),
    anEvent(7, 14, { workflowExecutionSignaledEventAttributes: { signalName: 'nodeObserved' } }),
    anEvent(8, 20, { timerCanceledEventAttributes: { startedEventId: 5 } }),
    anEvent(9, 21, {
      markerRecordedEventAttributes: {
        markerName: 'core_local_activity',
        details: { data: { payloads: [{}] } },
      },
    }),
  ];
  expect(await stepsOf(events, read)).toEqual({
    startedAt: 10_000,
    before: 'r0',
    steps: [
      {
        kind: 'activity',
        name: 'createInstance',
        start: 11_000,
        end: 13_000,
        attempts: 3,
        failure: 'quota',
        times: 1,
      },
      { kind: 'wait', name: 'waits for room', start: 13_000, end: 20_000, times: 1 },
      { kind: 'moment', name: 'retryNow', start: 14_000, end: 14_000, times: 1 },
      {
        kind: 'write',
        name: 'recordFailure',
        start: 20_005,
        end: 20_009,
        attempts: 1,
        times: 1,
      },
    ],
  });
});

test('without Temporal each Event lasts until the next', () => {
  const at = Date.parse(minutesAgo(14));
  const event = { at, type: 'Normal', reason: 'Joined', message: 'joined', count: 1 };
  const lifecycle = lifeOfObjects(aMachine('a', { status: running }), [event]);
  expect(lifecycle?.source).toBe('the object and its Events');
  expect(lifecycle?.steps.map(({ name, start, end }) => [name, start, end])).toEqual([
    ['its creation is asked for', Date.parse(minutesAgo(15)), at],
    ['Machine a successfully joined the cluster', at, at],
    ['Joined: joined', at, undefined],
  ]);
  expect(lifeOfObjects(undefined, [])).toBeUndefined();
});

test.each([
  [3, '3ms'],
  [3_240, '3.2s'],
  [64_000, '1m4s'],
  [3_900_000, '1h5m'],
  [90_000_000, '1d1h'],
])('%i ms is %s', (milliseconds, text) => {
  expect(formatSpan(milliseconds)).toBe(text);
});
