import { Pauses, realTiming } from '../../../activities/drivers/wait.ts';
import { instantTiming } from './aws/instant-timing.ts';

const limits = { limitSeconds: 10, firstPauseSeconds: 1, longestPauseSeconds: 3 };
const { signal } = new AbortController();

/** The timing of tests, with the randomness given. */
function timingWith(random: number) {
  return { ...instantTiming(), random: () => random };
}

test('pauses double up to the longest and end before the limit', async () => {
  const timing = timingWith(0);
  const pauses = new Pauses(limits, signal, timing);
  while (await pauses.next());
  expect(timing.pauses).toEqual([1_000, 2_000, 3_000, 3_000]);
});

test.each([
  { random: 0, expectedMs: 1_000 },
  { random: 1, expectedMs: 750 },
])('a pause with random $random lasts $expectedMs ms', async ({ random, expectedMs }) => {
  const timing = timingWith(random);
  await new Pauses(limits, signal, timing).next();
  expect(timing.pauses).toEqual([expectedMs]);
});

test.each([
  { name: 'replaces the backoff', random: 0, retryAfterSeconds: 4, expectedMs: 4_000 },
  { name: 'is never shortened', random: 1, retryAfterSeconds: 4, expectedMs: 5_000 },
  { name: 'of 0 becomes the first pause', random: 0, retryAfterSeconds: 0, expectedMs: 1_000 },
])('a pause that the cloud asks for $name', async ({ random, retryAfterSeconds, expectedMs }) => {
  const timing = timingWith(random);
  await new Pauses(limits, signal, timing).next({ retryAfterSeconds });
  expect(timing.pauses).toEqual([expectedMs]);
});

test('a pause that would go beyond the limit is not begun', async () => {
  const timing = timingWith(0);
  const pauses = new Pauses(limits, signal, timing);
  expect(await pauses.next({ retryAfterSeconds: 11 })).toBe(false);
  expect(timing.pauses).toEqual([]);
});

test('the limit counts from the first pause, with the calls in between', async () => {
  const timing = timingWith(0);
  const pauses = new Pauses(limits, signal, timing);
  await timing.sleep(60_000, signal);
  expect(await pauses.next()).toBe(true);
  await timing.sleep(8_500, signal);
  expect(await pauses.next()).toBe(false);
});

test('another thing that is looked at begins with the first pause again', async () => {
  const timing = timingWith(0);
  const pauses = new Pauses(limits, signal, timing);
  await pauses.next({ attempt: 1 });
  await pauses.next({ attempt: 2 });
  await pauses.next({ attempt: 1 });
  expect(timing.pauses).toEqual([1_000, 2_000, 1_000]);
});

test('a real pause ends when the caller aborts', async () => {
  const caller = new AbortController();
  const beforeMs = realTiming.nowMs();
  const pause = new Pauses({ ...limits, firstPauseSeconds: 9 }, caller.signal).next();
  caller.abort();
  await expect(pause).rejects.toThrow(/abort/);
  expect(realTiming.nowMs() - beforeMs).toBeLessThan(5_000);
});
