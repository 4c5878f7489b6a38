import {
  afterAnswer,
  isFrozen,
  nextCheckSeconds,
  resumed,
} from '../../../../workflows/plan/safety/reachability.ts';

const limits = { timeoutSeconds: 30, periodSeconds: 60 };
const start = Date.parse('2026-01-01T00:00:00Z');
const after = (seconds: number): number => start + seconds * 1_000;

test('an outage counts from its own first failure, never from that of an earlier one', () => {
  const first = afterAnswer(undefined, ['target'], start);
  expect(afterAnswer(first, ['control', 'target'], after(10))).toEqual({
    away: ['control', 'target'],
    since: start,
  });
  const over = afterAnswer(first, [], after(20));
  expect(over).toBeUndefined();
  expect(afterAnswer(over, ['target'], after(40))?.since).toBe(after(40));
});

test('an outage freezes after the timeout, and is checked as often as in MCM', () => {
  const outage = { away: ['target'] as const, since: start };
  expect(isFrozen(outage, limits, after(29))).toBe(false);
  expect(nextCheckSeconds(outage, limits, after(29))).toBe(6);
  expect(isFrozen(outage, limits, after(30))).toBe(true);
  expect(nextCheckSeconds(outage, limits, after(30))).toBe(60);
});

test.each([
  ['goes on, in the next run', { away: ['target'], checkedAt: after(100) }, true],
  ['has ended', { away: [], checkedAt: after(100) }, false],
  ['was long ago: nobody knows what was since', { away: ['target'], checkedAt: start }, false],
] as const)('an outage %s', (_words, { away, checkedAt }, goesOn) => {
  const outage = resumed({ away, since: start, checkedAt }, after(250), limits);
  expect(outage).toEqual(goesOn ? { away, since: start } : undefined);
});
