import fc from 'fast-check';
import { backoffMs } from '../../../workflows/values/backoff.ts';

const range = { firstMs: 100, maxMs: 1_000, jitter: 0.5 };

test.each([{ attempt: 1, random: 1, expected: 50 }])(
  'backoffMs of attempt $attempt with random $random is $expected',
  (row) => {
    const { attempt, random, expected } = row;
    expect(backoffMs({ ...range, attempt }, random)).toBe(expected);
  },
);

test('backoffMs never leaves the range that first wait, cap and jitter allow', () => {
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  const jitter = fc.double({ min: 0, max: 1, noNaN: true });
  const attempt = fc.integer({ min: 1, max: 10_000 });
  fc.assert(
    fc.property(attempt, jitter, random, (attempts, share, chance) => {
      const waitMs = backoffMs({ ...range, attempt: attempts, jitter: share }, chance);
      expect(waitMs).toBeGreaterThanOrEqual(range.firstMs * (1 - share));
      expect(waitMs).toBeLessThanOrEqual(range.maxMs);
    }),
  );
});
