/** Machines as a scale-down sees them. */
import fc from 'fast-check';
import type { MachineFact } from '../../../../workflows/plan/machine-set/scale-down.ts';
import { preserves } from '../../../../workflows/api/preserve-value.ts';

export function aFact(changes: Partial<MachineFact> = {}): MachineFact {
  const name = changes.name ?? 'pool-a';
  return {
    name,
    uid: `uid-of-${name}`,
    phase: 'Running',
    isDeleting: false,
    priority: 3,
    isUpdatedInPlace: false,
    createdAt: 500_000,
    ...changes,
  };
}

const phases = ['', 'Pending', 'Running', 'Available', 'Unknown', 'Failed', 'Terminating', 'Else'];
/** Few different values, so that machines often agree in what is compared first. */
const fewTimes = fc.constantFrom(500_000, 1_000_000, 1_000_001, 2_000_000);

export const anyFact: fc.Arbitrary<MachineFact> = fc
  .record(
    {
      name: fc.string({ minLength: 1, maxLength: 4 }),
      phase: fc.constantFrom(...phases),
      isDeleting: fc.boolean(),
      priority: fc.constantFrom(-1, 1, 3),
      createdAt: fewTimes,
      markedAt: fewTimes,
      chosenAt: fewTimes,
      preservedUntil: fewTimes,
      preserve: fc.constantFrom(...preserves),
      isUpdatedInPlace: fc.boolean(),
    },
    { requiredKeys: ['name'] },
  )
  .map(aFact);

/** A set of machines: names are unique. */
export const anyFacts = fc.uniqueArray(anyFact, { selector: ({ name }) => name, maxLength: 60 });
