import {
  afterDeath,
  noDeaths,
  type DeathRecord,
} from '../../../deploy/local/supervision/supervised.ts';

/** Plays deaths one after another and returns what was decided each time. */
function play(livesMs: number[], random = 0): (number | 'giveUp')[] {
  let record: DeathRecord = noDeaths;
  return livesMs.map((livedMs) => {
    const decision = afterDeath(record, { livedMs, random });
    record = decision.record;
    return decision.action === 'giveUp' ? 'giveUp' : decision.delayMs;
  });
}

describe('a component that dies', () => {
  test('starts again after waits that double', () => {
    expect(play([0, 0, 0, 0])).toEqual([200, 400, 800, 1600]);
  });

  test('is given up at the fifth death in a row within 5 s of its start', () => {
    expect(play([0, 4_999, 0, 4_999, 0]).at(-1)).toBe('giveUp');
  });

  test('is not given up when one life in between lasted 5 s', () => {
    expect(play([0, 0, 0, 0, 5_000, 0, 0, 0, 0])).not.toContain('giveUp');
  });

  test('never waits longer than 10 s', () => {
    const delays = play(Array.from({ length: 20 }, () => 6_000));
    expect(delays.at(-1)).toBe(10_000);
  });

  test('starts again at once when it had lived for long', () => {
    expect(play([6_000, 6_000, 6_000, 60_000])).toEqual([200, 400, 800, 200]);
  });

  test('waits up to a fifth less by chance, so that components do not return together', () => {
    expect(play([0], 0.999)[0]).toBe(160);
  });
});
