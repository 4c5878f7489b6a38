import type { State } from '../e2e/support/states.ts';
import type { Round } from './plan.ts';
import { brokenBounds } from './pool-bounds.ts';

const still = { least: 0, most: 0, removed: 0, isUnbounded: false };

/** Pool `a` is rolled: surge 1, unavailable 0. */
const round: Round = {
  steps: [],
  wishes: { a: { replicas: 2, class: 'medium' } },
  envelopes: { a: { ...still, least: 2, most: 2 }, b: still, c: still },
};

const set = (count: number) => ({ total: count, active: count, available: count });

function stateOf(old: number, young: number): State {
  return {
    at: new Date(0),
    cause: 'Machine chaos-a-1-x Running',
    ...set(old + young),
    // Another deployment, whose machines are not those of the pool.
    sets: { 'chaos-a-1': set(old), 'chaos-a-2': set(young), 'chaos-probe-1': set(7) },
  };
}

test('a rollout within its bounds breaks nothing', () => {
  expect(brokenBounds([stateOf(2, 0), stateOf(2, 1), stateOf(1, 1), stateOf(0, 2)], round)).toEqual(
    [],
  );
});

test.each([
  ['too many machines', stateOf(2, 2), 'total must be at most 3'],
  ['too few available ones', stateOf(1, 0), 'available must be at least 2'],
])('%s are told with the pool and the state', (_words, state, expected) => {
  const [words] = brokenBounds([stateOf(2, 0), state], round);
  expect(words).toContain('chaos-a: ');
  expect(words).toContain(expected);
});
