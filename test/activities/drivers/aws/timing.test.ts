import { expect, test } from '@jest/globals';
import { realTiming, untilAnswered } from '../../../../activities/drivers/aws/timing.ts';
import { instantTiming } from './instant-timing.ts';

const wait = {
  limitSeconds: 10,
  firstPauseSeconds: 1,
  longestPauseSeconds: 3,
  signal: new AbortController().signal,
};

test('what is there at once is not waited for', async () => {
  const timing = instantTiming();
  expect(await untilAnswered(timing, wait, async () => 'yes')).toBe('yes');
  expect(timing.pauses).toEqual([]);
});

test('pauses grow to the longest and end with the limit', async () => {
  const timing = instantTiming();
  expect(await untilAnswered(timing, wait, async () => undefined)).toBeUndefined();
  expect(timing.pauses).toEqual([1_000, 1_500, 2_250, 3_000]);
});

test.each([
  { random: 0, expected: 800 },
  { random: 1, expected: 1_200 },
])('a pause is up to a fifth off', async ({ random, expected }) => {
  const timing = { ...instantTiming(), random: () => random };
  await untilAnswered(timing, { ...wait, limitSeconds: 1.3 }, async () => undefined);
  expect(timing.pauses).toEqual([expected]);
});

test('a real pause ends when the caller gives up', async () => {
  const caller = new AbortController();
  const before = realTiming.now();
  const paused = realTiming.pause(60_000, caller.signal);
  caller.abort();
  await paused;
  expect(realTiming.now() - before).toBeLessThan(10_000);
});
