import fc from 'fast-check';
import type { BackoffInput } from '../../../../workflows/plan/machine/backoff.ts';
import { backoffSeconds, hasOwnPace } from '../../../../workflows/plan/machine/backoff.ts';

function seconds(changes: Partial<BackoffInput> = {}): number {
  return backoffSeconds({
    failure: { code: 'Internal', message: 'no luck', isSettled: true },
    attempts: 1,
    resourceExhaustedRetrySeconds: 600,
    random: 0,
    ...changes,
  });
}

const exhausted = { code: 'ResourceExhausted', message: 'no room', isSettled: true } as const;

test.each([{ name: 'the first failure waits 2 s', attempts: 1, expected: 2 }])(
  'the wait after failures of a machine: $name',
  ({ attempts, expected }) => expect(seconds({ attempts })).toBe(expected),
);

test('a cloud without room is left alone for as long as the flag says', () => {
  expect(seconds({ failure: exhausted })).toBe(600);
  expect(seconds({ failure: exhausted, attempts: 9, resourceExhaustedRetrySeconds: 5 })).toBe(5);
});

test('what has a pace of its own does not count for the next wait', () => {
  const internal = { code: 'Internal', message: 'no luck', isSettled: true } as const;
  const resourceExhaustedRetrySeconds = 600;
  expect(hasOwnPace({ failure: exhausted, resourceExhaustedRetrySeconds })).toBe(true);
  expect(hasOwnPace({ failure: { ...internal, retryAfterSeconds: 1 } })).toBe(true);
  expect(hasOwnPace({ failure: exhausted })).toBe(false);
  expect(hasOwnPace({ failure: internal, resourceExhaustedRetrySeconds })).toBe(false);
});

test('a cloud that says when to come back is heard, and never asked earlier', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 900 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (retryAfterSeconds, random) => {
        const wait = seconds({ failure: { ...exhausted, retryAfterSeconds }, random });
        expect(wait).toBeGreaterThanOrEqual(retryAfterSeconds);
        expect(wait).toBeLessThanOrEqual(retryAfterSeconds * 1.25);
      },
    ),
  );
});

test('a wait is between 1.5 s and 3 min, and jitter takes at most a quarter', () => {
  const attempts = fc.integer({ min: 1, max: 10_000 });
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(attempts, random, (tries, jitter) => {
      const wait = seconds({ attempts: tries, random: jitter });
      expect(wait).toBeGreaterThanOrEqual(1.5);
      expect(wait).toBeLessThanOrEqual(180);
      expect(wait).toBeGreaterThanOrEqual(seconds({ attempts: tries }) * 0.75);
    }),
  );
});

test('one more failure never shortens the wait', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), (attempts) => {
      expect(seconds({ attempts: attempts + 1 })).toBeGreaterThanOrEqual(seconds({ attempts }));
    }),
  );
});
