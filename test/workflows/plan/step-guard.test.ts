import fc from 'fast-check';
import { ofTurns, StepGuard } from '../../../workflows/plan/step-guard.ts';

const hour = 3_600_000;

describe('a step', () => {
  test('a step that follows others now and then is never held back', () => {
    const guard = new StepGuard();
    for (let now = 0; now < 24 * hour; now += 15_000) {
      expect(guard.holdOf('readAndClaim', now)).toBeUndefined();
      guard.begin('readAndClaim', now, () => 0.5);
    }
  });

  test('a step that is done again and again waits, and says why; another step does not wait for it', () => {
    const guard = new StepGuard();
    let times = 0;
    for (; !guard.holdOf('checkHealth', 0) && times < 1_000; times += 1) {
      guard.begin('checkHealth', 0, () => 0);
    }
    expect(times).toBe(31);
    expect(guard.holdOf('checkHealth', 0)?.reason).toContain('checkHealth is done too often');
    expect(guard.holdOf('beginTeardown', 0)).toBeUndefined();
  });

  test('a step that fails waits longer each time, until it succeeds', () => {
    const guard = new StepGuard();
    const waits = [0, 1_000_000, 2_000_000].map((now) => {
      guard.failed('drain', 'no luck', { now, random: 0 });
      return (guard.holdOf('drain', now)?.until ?? now) - now;
    });
    expect(waits).toEqual([2_000, 4_000, 8_000]);
    expect(guard.holdOf('drain', 2_000_000)?.reason).toBe('drain failed 3 times: no luck');
    guard.succeeded('drain');
    guard.failed('drain', 'no luck', { now: 3_000_000, random: 0 });
    expect(guard.holdOf('drain', 3_000_000)?.until).toBe(3_002_000);
  });
});

test('whatever the plan asks for, one step is done at most 31 times at once and some 600 times an hour', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(pauses, fc.double({ min: 0, max: 1, noNaN: true }), (given, random) => {
      const guard = new StepGuard();
      let done = 0;
      for (let now = 0, turn = 0; now < hour; turn += 1) {
        const hold = guard.holdOf('checkHealth', now);
        if (!hold) {
          guard.begin('checkHealth', now, () => random);
          done += 1;
        }
        now = hold ? hold.until : now + (given[turn % given.length] ?? 0);
      }
      expect(done).toBeLessThan(650);
    }),
  );
});

/** Takes so many turns at once, each after its pause. Returns the pauses in seconds. */
function take(guard: StepGuard, count: number): number[] {
  const pauses: number[] = [];
  let now = 0;
  for (let turn = 0; turn < count; turn += 1) {
    const hold = guard.holdOf('turn', now);
    if (hold) pauses.push((hold.until - now) / 1_000);
    now = hold?.until ?? now;
    guard.begin('turn', now, () => 0);
  }
  return pauses;
}

describe('turns of a loop', () => {
  test('have a short pause each from then on', () => {
    expect(take(new StepGuard(ofTurns), 107)).toEqual([2, 2, 4, 5, 5, 5]);
  });

  test('have none again when the loop has rested', () => {
    const guard = new StepGuard(ofTurns);
    for (let round = 0; round < 10; round += 1) {
      expect(take(guard, 99)).toEqual([]);
      guard.rested();
    }
  });
});
