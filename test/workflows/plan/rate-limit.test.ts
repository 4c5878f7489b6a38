import fc from 'fast-check';
import { ofTurns, RateLimit } from '../../../workflows/plan/rate-limit.ts';

const hour = 3_600_000;

describe('a step', () => {
  test('a step that follows others now and then is never held back', () => {
    const limit = new RateLimit();
    for (let now = 0; now < 24 * hour; now += 15_000) {
      expect(limit.when('readAndClaim', now, () => 0.5)).toBeUndefined();
    }
  });

  test('a step that is done again and again waits; another step does not wait for it', () => {
    const limit = new RateLimit();
    let times = 0;
    while (limit.when('checkHealth', 0, () => 0) === undefined && times < 1_000) times += 1;
    expect(times).toBe(31);
    expect(limit.when('checkHealth', 0, () => 0)).toBe(2_000);
    expect(limit.when('beginTeardown', 0, () => 0)).toBeUndefined();
  });
});

test('whatever the plan asks for, one step is done at most 31 times at once and some 600 times an hour', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(pauses, fc.double({ min: 0, max: 1, noNaN: true }), (given, random) => {
      const limit = new RateLimit();
      let done = 0;
      for (let now = 0, turn = 0; now < hour; turn += 1) {
        const until = limit.when('checkHealth', now, () => random);
        if (until === undefined) done += 1;
        now = until ?? now + (given[turn % given.length] ?? 0);
      }
      expect(done).toBeLessThan(650);
    }),
  );
});

/** Takes so many turns at once, each after its pause. Returns the pauses in seconds. */
function take(limit: RateLimit, count: number): number[] {
  const pauses: number[] = [];
  let now = 0;
  for (let turn = 0; turn < count; turn += 1) {
    const until = limit.when('turn', now, () => 0);
    if (until === undefined) continue;
    pauses.push((until - now) / 1_000);
    now = until;
    limit.when('turn', now, () => 0);
  }
  return pauses;
}

describe('turns of a loop', () => {
  test('have a short pause each from then on', () => {
    expect(take(new RateLimit(ofTurns), 107)).toEqual([2, 2, 4, 5, 5, 5]);
  });

  test('have none again when the loop has rested', () => {
    const limit = new RateLimit(ofTurns);
    for (let round = 0; round < 10; round += 1) {
      expect(take(limit, 99)).toEqual([]);
      limit.forget();
    }
  });
});
