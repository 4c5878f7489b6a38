import { mayTrigger } from '../../../../workflows/plan/safety/triggers.ts';

const minuteMs = 60_000;
const trigger = {
  schedule: { isPaused: false, isRunning: false, startedAt: 0 },
  earlier: 0,
  periodSeconds: 60,
  longestWaitSeconds: 3_600,
  now: 0,
};

test.each([{ isPaused: true }, { isRunning: true }])(
  'none while it is $isPaused, $isRunning',
  (is) => {
    const schedule = { ...trigger.schedule, ...is };
    expect(mayTrigger({ ...trigger, schedule, now: 1e9 })).toBe(false);
  },
);

test.each([
  { earlier: 1, minutes: 0.5 },
  { earlier: 2, minutes: 1.5 },
])('after $earlier runs in vain the next one is $minutes min after the last', (expected) => {
  const { earlier, minutes } = expected;
  expect(mayTrigger({ ...trigger, earlier, now: minutes * minuteMs - 1 })).toBe(false);
  expect(mayTrigger({ ...trigger, earlier, now: minutes * minuteMs })).toBe(true);
});

test('one that Temporal knows nothing of is started again', () => {
  const schedule = { isPaused: false, isRunning: false };
  expect(mayTrigger({ ...trigger, schedule, earlier: 5 })).toBe(true);
});
