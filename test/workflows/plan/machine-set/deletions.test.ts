import fc from 'fast-check';
import type { MachineFact } from '../../../../workflows/plan/machine-set/scale-down.ts';
import type {
  DeletionFacts,
  MachineRefs,
} from '../../../../workflows/plan/machine-set/deletions.ts';
import {
  burst,
  countFailed,
  graceMilliseconds,
  isPresent,
  machinesToDelete,
} from '../../../../workflows/plan/machine-set/deletions.ts';
import { aFact, anyFacts } from './machine-fact.ts';

const now = 1_000_000;
const failed = (name: string, changes: Partial<MachineFact> = {}): MachineFact =>
  aFact({ name, phase: 'Failed', ...changes });
const marked = (name: string, changes: Partial<MachineFact> = {}): MachineFact =>
  aFact({ name, priority: 1, markedAt: 700_000, ...changes });

function facts(changes: Partial<DeletionFacts>): DeletionFacts {
  const { machines = [] } = changes;
  return { isDeleting: false, replicas: machines.length, machines, now, ...changes };
}

const none: MachineRefs = { names: [], reason: '' };

test.each<{ name: string; given: Partial<DeletionFacts>; goes: MachineRefs }>([
  {
    name: 'those above replicas go in the order of the scale-down',
    given: {
      replicas: 2,
      machines: [
        aFact({ name: 'a' }),
        failed('b'),
        aFact({ name: 'c', phase: 'Pending' }),
        aFact({ name: 'd' }),
      ],
    },
    goes: { names: ['b', 'c'], reason: '4 machines, 2 wanted; 1 failed: to be replaced' },
  },
  {
    name: 'machines that are going already do not count',
    given: {
      replicas: 1,
      machines: [
        aFact({ name: 'a' }),
        aFact({ name: 'b', isDeleting: true }),
        aFact({ name: 'c', phase: 'Terminating' }),
      ],
    },
    goes: none,
  },
  {
    name: 'a machine that was updated in place neither counts nor goes',
    given: {
      replicas: 1,
      machines: [aFact({ name: 'a', isUpdatedInPlace: true }), aFact({ name: 'b' })],
    },
    goes: none,
  },
  {
    name: 'all that are there go with the set, preserved or not',
    given: {
      isDeleting: true,
      machines: [
        failed('b', { preserve: 'now' }),
        aFact({ name: 'a', isUpdatedInPlace: true }),
        aFact({ name: 'c', isDeleting: true }),
      ],
    },
    goes: { names: ['a', 'b'], reason: 'the set is being deleted' },
  },

  {
    name: 'a failed one that is preserved stays',
    given: { machines: [failed('a', { preservedUntil: now + 1 })] },
    goes: none,
  },
  {
    name: 'a failed one whose preservation is over goes, whatever its annotation',
    given: {
      machines: [failed('a', { preservedUntil: now - graceMilliseconds, preserve: 'now' })],
    },
    goes: { names: ['a'], reason: '1 failed: to be replaced' },
  },
  {
    name: 'a failed one that is to be preserved stays until its end is known',
    given: { machines: [failed('a', { preserve: 'when-failed' })] },
    goes: none,
  },
  {
    name: 'only granted failed ones are replaced',
    given: { machines: [failed('a'), failed('b')], replacements: new Set(['b', 'c']) },
    goes: { names: ['b'], reason: '1 failed: to be replaced' },
  },

  {
    name: 'a mark goes with the change that came with or after it, although the number is right',
    given: { machines: [aFact({ name: 'a' }), marked('b'), marked('c')], scaledAt: 700_000 },
    goes: { names: ['b', 'c'], reason: '2 marked by the cluster autoscaler' },
  },

  {
    name: 'a later mark waits for its change',
    given: { machines: [marked('a')], scaledAt: 699_999 },
    goes: none,
  },
  {
    name: 'only priority 1 is a mark of the autoscaler',
    given: { machines: [marked('a', { priority: 0 })], scaledAt: now },
    goes: none,
  },
  {
    name: 'a marked machine that was updated in place stays',
    given: { machines: [marked('a', { isUpdatedInPlace: true })], scaledAt: now },
    goes: none,
  },
  {
    name: 'a machine goes once, for all its reasons',
    given: { replicas: 0, machines: [marked('a', { phase: 'Failed' })], scaledAt: now },
    goes: {
      names: ['a'],
      reason: '1 machines, 0 wanted; 1 marked by the cluster autoscaler; 1 failed: to be replaced',
    },
  },
])('the machines that a set deletes: $name', ({ given, goes }) => {
  expect(machinesToDelete(facts(given))).toEqual(goes);
});

test('failed machines are counted by what becomes of them', () => {
  const machines = [
    aFact({ name: 'a' }),
    failed('b', { preservedUntil: now + 5 }),
    failed('c', { preservedUntil: now + 2 }),
    failed('d', { preserve: 'now' }),
    failed('e'),
    failed('f'),
    failed('g', { isDeleting: true }),
  ];
  const replacements = new Set(['e']);
  expect(countFailed(facts({ machines, replacements }))).toEqual({
    total: 5,
    preserved: 3,
    held: 1,
    nextExpiry: now + 2 + graceMilliseconds,
  });
});

const anyDeletion: fc.Arbitrary<DeletionFacts> = fc
  .record(
    {
      machines: anyFacts,
      replicas: fc.integer({ min: 0, max: 40 }),
      scaledAt: fc.constantFrom(500_000, now),
      replacements: fc
        .array(fc.string({ minLength: 1, maxLength: 2 }))
        .map((names) => new Set(names)),
    },
    { requiredKeys: ['machines', 'replicas'] },
  )
  .map(facts);

describe('whatever the machines', () => {
  test('nobody goes twice, and only those that are there', () => {
    fc.assert(
      fc.property(anyDeletion, (given) => {
        const { names } = machinesToDelete(given);
        const present = new Set(given.machines.filter(isPresent).map(({ name }) => name));
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => !present.has(name))).toEqual([]);
        expect(names.length).toBeLessThanOrEqual(burst);
      }),
    );
  });

  test('without marks and failures, never more than are too many', () => {
    fc.assert(
      fc.property(anyDeletion, ({ scaledAt: _none, ...given }) => {
        const granted = { ...given, replacements: new Set<string>() };
        const surplus = given.machines.filter(isPresent).length - given.replicas;
        expect(machinesToDelete(granted).names.length).toBeLessThanOrEqual(Math.max(surplus, 0));
      }),
    );
  });

  test('any input order gives the same answer', () => {
    const shuffled = anyDeletion.chain((given) => {
      const { length } = given.machines;
      const others = fc.shuffledSubarray([...given.machines], { minLength: length });
      return fc.tuple(fc.constant(given), others);
    });
    fc.assert(
      fc.property(shuffled, ([given, machines]) => {
        expect(machinesToDelete({ ...given, machines })).toEqual(machinesToDelete(given));
        expect(countFailed({ ...given, machines })).toEqual(countFailed(given));
      }),
    );
  });
});
