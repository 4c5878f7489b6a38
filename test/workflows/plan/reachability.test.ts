import { expect, test } from '@jest/globals';
import {
  afterAnswer,
  isFrozen,
  lastOutage,
  nextLookSeconds,
} from '../../../workflows/plan/reachability.ts';

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

test('it freezes after the timeout, and is looked at as often as in MCM', () => {
  const outage = { away: ['target'] as const, since: start };
  expect(isFrozen(outage, limits, after(29))).toBe(false);
  expect(nextLookSeconds(outage, limits, after(29))).toBe(6);
  expect(isFrozen(outage, limits, after(30))).toBe(true);
  expect(nextLookSeconds(outage, limits, after(30))).toBe(60);
});

const report = {
  away: ['target'],
  isFrozen: true,
  since: new Date(start).toISOString(),
  lookedAt: new Date(after(100)).toISOString(),
};

test.each([
  ['in an outage: it goes on', report, { away: ['target'], since: start }],
  ['well', { ...report, away: [] }, undefined],
  ['long ago: nobody knows what was meanwhile', { ...report, lookedAt: report.since }, undefined],
  ['with a result of another form', 'oops', undefined],
  ['never', undefined, undefined],
])('the run before ended %s', (_words, result, expected) => {
  expect(lastOutage(result, after(250), limits)).toEqual(expected);
});
