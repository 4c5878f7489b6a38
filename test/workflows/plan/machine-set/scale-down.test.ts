import fc from 'fast-check';
import type {
  DeletePolicy,
  MachineFact,
} from '../../../../workflows/plan/machine-set/scale-down.ts';
import {
  compareText,
  orderForScaleDown,
} from '../../../../workflows/plan/machine-set/scale-down.ts';
import { aFact, anyFacts } from './machine-fact.ts';

const now = 1_000_000;

const names = (machines: readonly MachineFact[]): string[] =>
  orderForScaleDown(machines, now).map(({ name }) => name);

/** `b` goes before `a`, although by name alone `a` would be first. */
test.each<{ name: string; first: Partial<MachineFact>; second: Partial<MachineFact> }>([
  {
    name: 'one that was chosen for deletion goes before a low priority and before what is broken',
    first: { chosenAt: 5 },
    second: { priority: -1, phase: 'Failed', markedAt: 1 },
  },

  {
    name: 'a preserved one goes last, chosen or not',
    first: {},
    second: { chosenAt: 5, preservedUntil: now + 1 },
  },
  { name: 'a marked one goes first', first: { markedAt: 5 }, second: {} },

  {
    name: 'a preserved one goes last, whatever its priority',
    first: { priority: 9 },
    second: { priority: 1, preservedUntil: now + 1 },
  },
  {
    name: 'of two preserved the one that expires sooner',
    first: { preservedUntil: now + 1 },
    second: { preservedUntil: now + 2 },
  },
  {
    name: 'of two preserved the one that nobody asked for',
    first: { preserve: 'auto-preserved', preservedUntil: now + 2 },
    second: { preserve: 'now', preservedUntil: now + 1 },
  },

  {
    name: 'a preservation that is over does not count',
    first: { priority: 1, preservedUntil: now },
    second: { priority: 3 },
  },
])('the order of a scale-down: $name', ({ first, second }) => {
  const order = names([aFact({ name: 'a', ...second }), aFact({ name: 'b', ...first })]);
  expect(order).toEqual(['b', 'a']);
});

test('a machine that is updated in place counts as Running', () => {
  const machines = [
    aFact({ name: 'a', phase: 'Running', createdAt: 2 }),
    aFact({ name: 'b', phase: 'InPlaceUpdating', createdAt: 1 }),
    aFact({ name: 'c', phase: 'Pending', createdAt: 3 }),
  ];
  expect(names(machines)).toEqual(['c', 'b', 'a']);
});

test('equal machines go by name', () => {
  expect(names([aFact({ name: 'b' }), aFact({ name: 'B' }), aFact({ name: 'a' })])).toEqual([
    'B',
    'a',
    'b',
  ]);
});

test.each<[DeletePolicy | undefined, string[]]>([
  [undefined, ['failed', 'old', 'new']],
  ['Random', ['failed', 'old', 'new']],
  ['Oldest', ['failed', 'old', 'new']],
  ['Newest', ['failed', 'new', 'old']],
])('policy %s chooses among those that are alike', (policy, expected) => {
  const machines = [
    aFact({ name: 'old', createdAt: 1 }),
    aFact({ name: 'failed', createdAt: 2, phase: 'Failed' }),
    aFact({ name: 'new', createdAt: 3 }),
  ];
  expect(orderForScaleDown(machines, now, policy).map(({ name }) => name)).toEqual(expected);
});

test('Newest goes after what a person or an autoscaler chose', () => {
  const machines = [
    aFact({ name: 'new', createdAt: 3 }),
    aFact({ name: 'chosen', createdAt: 1, chosenAt: 5 }),
    aFact({ name: 'low', createdAt: 1, priority: 1 }),
    aFact({ name: 'marked', createdAt: 1, markedAt: 5 }),
  ];
  expect(orderForScaleDown(machines, now, 'Newest').map(({ name }) => name)).toEqual([
    'chosen',
    'low',
    'marked',
    'new',
  ]);
});

describe('whatever the machines', () => {
  test('any input order gives the same answer', () => {
    const shuffled = anyFacts.chain((machines) =>
      fc.tuple(
        fc.constant(machines),
        fc.shuffledSubarray(machines, { minLength: machines.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([machines, others]) => {
        expect(names(others)).toEqual(names(machines));
      }),
    );
  });

  test('all of them come back once, and the input is left as it was', () => {
    fc.assert(
      fc.property(anyFacts, (machines) => {
        const before = machines.map(({ name }) => name);
        expect(names(machines).toSorted(compareText)).toEqual(before.toSorted(compareText));
        expect(machines.map(({ name }) => name)).toEqual(before);
      }),
    );
  });

  test('who goes from a part of the set goes in the same order from the whole', () => {
    fc.assert(
      fc.property(anyFacts, (machines) => {
        const part = machines.filter((_, index) => index % 2 === 0);
        const inWhole = names(machines).filter((name) => part.some((fact) => fact.name === name));
        expect(names(part)).toEqual(inWhole);
      }),
    );
  });
});
