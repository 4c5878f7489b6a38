import fc from 'fast-check';
import { planAutoPreservation } from '../../../../workflows/plan/machine-set/auto-preservation.ts';
import type { MachineFact } from '../../../../workflows/plan/machine-set/scale-down.ts';
import { aFact, anyFacts } from './machine-fact.ts';

const failed = (name: string, changes: Partial<MachineFact> = {}): MachineFact =>
  aFact({ name, phase: 'Failed', ...changes });
const auto = (name: string, createdAt: number): MachineFact =>
  failed(name, { preserve: 'auto-preserved', createdAt });

test.each<{
  name: string;
  machines: MachineFact[];
  max: number;
  preserve?: string[];
  unpreserve?: string[];
}>([
  {
    name: 'the newest first, of the same age by name',
    machines: [
      failed('a', { createdAt: 1 }),
      failed('b', { createdAt: 2 }),
      failed('c', { createdAt: 2 }),
    ],
    max: 2,
    preserve: ['c', 'b'],
  },
  { name: 'those that are preserved count', machines: [auto('a', 1), failed('b')], max: 1 },
  {
    name: 'those that are going do not',
    machines: [{ ...auto('a', 1), isDeleting: true }, failed('b')],
    max: 1,
    preserve: ['b'],
  },
  {
    name: 'not one that a person wrote about, nor one that had its time, nor one that runs',
    machines: [
      failed('a', { preserve: 'false' }),
      failed('b', { preserve: 'when-failed' }),
      failed('c', { wasPreserved: true }),
      aFact({ name: 'd' }),
    ],
    max: 9,
  },
  {
    name: 'too many: the oldest are let go',
    machines: [auto('a', 3), auto('b', 1), auto('c', 2), failed('d')],
    max: 1,
    unpreserve: ['b', 'c'],
  },
])(
  'the machines that a set preserves: $name',
  ({ machines, max, preserve = [], unpreserve = [] }) => {
    const isNothing = preserve.length + unpreserve.length === 0;
    expect(planAutoPreservation(machines, { max })).toEqual(
      isNothing ? undefined : { preserve, unpreserve },
    );
  },
);

test('a set never preserves more machines than allowed, and then there is nothing to do', () => {
  fc.assert(
    fc.property(anyFacts, fc.nat(5), (machines, max) => {
      const { preserve = [], unpreserve = [] } = planAutoPreservation(machines, { max }) ?? {};
      const after = machines.map((machine): MachineFact => {
        if (preserve.includes(machine.name)) return { ...machine, preserve: 'auto-preserved' };
        const { preserve: _gone, ...rest } = machine;
        return unpreserve.includes(machine.name) ? { ...rest, wasPreserved: true } : machine;
      });
      const held = after.filter(
        (machine) => !machine.isDeleting && machine.preserve === 'auto-preserved',
      );
      expect(held.filter(({ phase }) => phase !== 'Terminating').length).toBeLessThanOrEqual(max);
      expect(planAutoPreservation(after, { max })).toBeUndefined();
    }),
  );
});
