import type { BudgetedSet } from '../../../../../workflows/plan/machine-deployment/rollout/replacement-budget.ts';
import { grantsOf } from '../../../../../workflows/plan/machine-deployment/rollout/replacement-budget.ts';

/**
 * Failed machines in capitals, preserved ones with an exclamation mark, ones that come up with a
 * question mark: `a B C! d?`.
 */
function set(name: string, words: string, changes: Partial<BudgetedSet> = {}): BudgetedSet {
  const machines = words
    .split(' ')
    .filter(Boolean)
    .map((word) => ({
      name: word.replace(/[?!]/, '').toLowerCase(),
      state: stateOf(word),
    }));
  return { name, replicas: machines.length, granted: [], machines, ...changes };
}

function stateOf(word: string): BudgetedSet['machines'][number]['state'] {
  if (word.endsWith('?')) return 'other';
  if (word.endsWith('!')) return 'kept';
  return word === word.toUpperCase() ? 'failed' : 'available';
}

describe('without a budget', () => {
  test('nothing is written where nothing was', () => {
    const { granted: _none, ...free } = set('old', 'A B');
    expect(grantsOf(undefined, [free])).toEqual([]);
  });
});

describe('with a budget', () => {
  test.each<{
    name: string;
    budget: number;
    sets: BudgetedSet[];
    expected: Record<string, string[]>;
  }>([
    {
      name: 'nothing has failed: an empty list where there was none',
      budget: 1,
      sets: [{ name: 's', replicas: 1, machines: [{ name: 'a', state: 'available' }] }],
      expected: { s: [] },
    },
    {
      name: 'as many as it allows, by name',
      budget: 2,
      sets: [set('s', 'C A B')],
      expected: { s: ['a', 'b'] },
    },
    {
      name: 'those that have a grant keep it',
      budget: 1,
      sets: [set('s', 'A B', { granted: ['b'] })],
      expected: {},
    },

    {
      name: 'one that is preserved takes nothing from it',
      budget: 1,
      sets: [set('s', 'A! B')],
      expected: { s: ['b'] },
    },
    {
      name: 'a machine that comes up takes from it',
      budget: 2,
      sets: [set('s', 'A B c?')],
      expected: { s: ['a'] },
    },
    {
      name: 'a machine that is missing takes from it',
      budget: 2,
      sets: [set('s', 'A B', { replicas: 4 })],
      expected: {},
    },

    {
      name: 'it is shared by all sets, in their order',
      budget: 2,
      sets: [set('old', 'A'), set('new', 'B C')],
      expected: { old: ['a'], new: ['b'] },
    },
  ])('$name', ({ budget, sets, expected }) => {
    const grants = grantsOf(budget, sets).map((grant) => [grant.set, grant.machines]);
    expect(Object.fromEntries(grants)).toEqual(expected);
  });
});
