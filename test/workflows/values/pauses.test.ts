import fc from 'fast-check';
import type { Pause, Period } from '../../../workflows/values/pauses.ts';
import { deadlineOf, pausedMs, pausesOfDrain, unionOf } from '../../../workflows/values/pauses.ts';

const minute = 60_000;

const time = fc.integer({ min: 0, max: 500 }).map((minutes) => minutes * minute);
const period = fc
  .tuple(time, time)
  .map(([a, b]): Period => ({ from: Math.min(a, b), until: Math.max(a, b) }));
const periods = fc.array(period, { maxLength: 8 });
const timer = fc.record({ from: time, timeoutMs: time });

describe('paused time', () => {
  test('is the same in any order, and when a pause is named twice', () => {
    fc.assert(
      fc.property(periods, period, (pauses, span) => {
        const paused = pausedMs(pauses, span);
        expect(pausedMs([...pauses, ...pauses].toReversed(), span)).toBe(paused);
        expect(unionOf(unionOf(pauses))).toEqual(unionOf(pauses));
      }),
    );
  });

  test('never shrinks by another pause or a longer period, and never exceeds the period', () => {
    fc.assert(
      fc.property(periods, fc.tuple(period, period), time, (pauses, [other, span], more) => {
        const paused = pausedMs(pauses, span);
        expect(pausedMs([...pauses, other], span)).toBeGreaterThanOrEqual(paused);
        expect(pausedMs(pauses, { ...span, until: span.until + more })).toBeGreaterThanOrEqual(
          paused,
        );
        expect(paused).toBeLessThanOrEqual(span.until - span.from);
      }),
    );
  });
});

describe('a deadline', () => {
  const begin = { from: 0, timeoutMs: 30 * minute };

  test.each<{ name: string; pauses: Period[]; minutes: number }>([
    {
      name: 'leaves a minute after the pause',
      pauses: [{ from: 29.9 * minute, until: 50 * minute }],
      minutes: 51,
    },
    {
      name: 'does not move by what came before or after',
      pauses: [
        { from: -9 * minute, until: -1 },
        { from: 30 * minute, until: 99 * minute },
      ],
      minutes: 30,
    },
  ])('$name', ({ pauses, minutes }) => {
    expect(deadlineOf(begin, pauses)).toBe(minutes * minute);
  });

  test('never comes earlier by a pause, and always leaves the timeout outside of pauses', () => {
    fc.assert(
      fc.property(timer, periods, period, (clock, pauses, other) => {
        const deadline = deadlineOf(clock, pauses);
        expect(deadlineOf(clock, [...pauses, other])).toBeGreaterThanOrEqual(deadline);
        expect(deadline).toBeGreaterThanOrEqual(clock.from + clock.timeoutMs);
        const ran = deadline - clock.from - pausedMs(pauses, { from: clock.from, until: deadline });
        expect(ran).toBeGreaterThanOrEqual(clock.timeoutMs);
        expect(ran).toBeLessThanOrEqual(clock.timeoutMs + pauses.length * minute);
      }),
    );
  });
});

test('a drain goes on while the cluster of the Nodes is away', () => {
  const pauses: Pause[] = [
    { reason: 'target', from: 0, until: minute },
    { reason: 'worker', from: minute, until: 2 * minute },
  ];
  expect(pausesOfDrain(pauses).map(({ reason }) => reason)).toEqual(['worker']);
});
