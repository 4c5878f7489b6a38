import { expect, test } from '@jest/globals';
import { DriverError } from '../../../../activities/drivers/driver.ts';
import type { MachineErrorCode } from '../../../../workflows/api/failures.ts';
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

const trouble = (code: MachineErrorCode, retryAfterSeconds?: number): DriverError =>
  new DriverError({
    code,
    message: 'words',
    settled: false,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });

/** Fails with each of these, then answers. */
function failing(errors: DriverError[]): () => Promise<string> {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error) throw error;
    return 'yes';
  };
}

test('a question that fails for a moment is asked again, no earlier than the cloud wants', async () => {
  const timing = instantTiming();
  const ask = failing([trouble('Unavailable', 4), trouble('DeadlineExceeded')]);
  expect(await untilAnswered(timing, wait, ask)).toBe('yes');
  expect(timing.pauses).toEqual([4_000, 1_500]);
});

test('trouble to the end is told, and a refusal at once', async () => {
  const many = Array.from({ length: 9 }, () => trouble('Unavailable'));
  await expect(untilAnswered(instantTiming(), wait, failing(many))).rejects.toBe(many[4]);
  const refusal = trouble('PermissionDenied');
  const timing = instantTiming();
  await expect(untilAnswered(timing, wait, failing([refusal]))).rejects.toBe(refusal);
  expect(timing.pauses).toEqual([]);
});

test('a real pause ends when the caller gives up', async () => {
  const caller = new AbortController();
  const before = realTiming.now();
  const paused = realTiming.pause(60_000, caller.signal);
  caller.abort();
  await paused;
  expect(realTiming.now() - before).toBeLessThan(10_000);
});
