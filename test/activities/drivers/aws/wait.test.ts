import { DriverError } from '../../../../activities/drivers/driver.ts';
import type { MachineErrorCode } from '../../../../workflows/api/failures.ts';
import { untilAnswered } from '../../../../activities/drivers/aws/wait.ts';
import { Pauses } from '../../../../activities/drivers/wait.ts';
import { instantTiming, type InstantTiming } from './instant-timing.ts';

const limits = { limitSeconds: 10, firstPauseSeconds: 1, longestPauseSeconds: 3 };

function pausesWith(timing: InstantTiming): Pauses {
  const { signal } = new AbortController();
  return new Pauses(limits, signal, { ...timing, random: () => 0 });
}

test('questions without an answer end with the limit', async () => {
  const timing = instantTiming();
  expect(await untilAnswered(pausesWith(timing), async () => undefined)).toBeUndefined();
  expect(timing.pauses).toEqual([1_000, 2_000, 3_000, 3_000]);
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
  expect(await untilAnswered(pausesWith(timing), ask)).toBe('yes');
  expect(timing.pauses).toEqual([4_000, 2_000]);
});

test('a refusal is not asked again', async () => {
  const refusal = trouble('PermissionDenied');
  const timing = instantTiming();
  await expect(untilAnswered(pausesWith(timing), failing([refusal]))).rejects.toBe(refusal);
  expect(timing.pauses).toEqual([]);
});

test('after an abort the error is that of the next question', async () => {
  const caller = new AbortController();
  const cancelled = trouble('Canceled');
  const ask = async (): Promise<undefined> => {
    if (caller.signal.aborted) throw cancelled;
    caller.abort();
  };
  const pauses = new Pauses(limits, caller.signal);
  await expect(untilAnswered(pauses, ask)).rejects.toBe(cancelled);
});
