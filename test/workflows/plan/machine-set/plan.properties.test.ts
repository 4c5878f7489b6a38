import fc from 'fast-check';
import type { AutoPreservation } from '../../../../workflows/plan/machine-set/auto-preservation.ts';
import { planAutoPreservation } from '../../../../workflows/plan/machine-set/auto-preservation.ts';
import type {
  MachineSetStep,
  ObservedMachineSet,
} from '../../../../workflows/plan/machine-set/plan.ts';
import { nextBatchSize, planMachineSet } from '../../../../workflows/plan/machine-set/plan.ts';
import type { MachineFact } from '../../../../workflows/plan/machine-set/scale-down.ts';
import {
  burst,
  countFailed,
  isPresent,
  machinesToDelete,
} from '../../../../workflows/plan/machine-set/deletions.ts';
import { aFact, anyFacts } from './machine-fact.ts';

const now = 1_000_000;

interface Wish {
  replicas: number;
  isDeleting: boolean;
  isFrozen: boolean;
  scaledAt?: number;
  replacements?: ReadonlySet<string>;
  /** `autoPreserveFailedMachineMax`. */
  most?: number;
}

const anyWish: fc.Arbitrary<Wish> = fc.record(
  {
    replicas: fc.integer({ min: 0, max: 300 }),
    isDeleting: fc.boolean(),
    isFrozen: fc.boolean(),
    scaledAt: fc.constantFrom(500_000, now),
    replacements: fc.constantFrom(new Set<string>(), new Set(['a', 'b'])),
    most: fc.integer({ min: 0, max: 4 }),
  },
  { requiredKeys: ['replicas', 'isDeleting', 'isFrozen'] },
);

/** What a survey of these machines says. */
function surveyOf(
  wish: Wish,
  machines: readonly MachineFact[],
  toPush: string[] = [],
): ObservedMachineSet {
  const facts = { ...wish, machines, now };
  const { nextExpiry: _none, ...failed } = countFailed(facts);
  const autoPreservation = wish.isDeleting
    ? undefined
    : planAutoPreservation(machines, { max: wish.most ?? 0 });
  return {
    desired: {
      isDeleting: wish.isDeleting,
      hasFinalizer: true,
      isOrphaning: false,
      generation: 1,
      replicas: wish.replicas,
      ...(wish.isFrozen && { frozenBy: 'freeze=True' }),
      faults: [],
    },
    total: machines.length,
    present: machines.filter(isPresent).length,
    failed,
    toDelete: machinesToDelete(facts),
    ...(autoPreservation && { autoPreservation }),
    ...(toPush.length > 0 && { toPush }),
  };
}

interface Run {
  steps: MachineSetStep[];
  machines: MachineFact[];
  /** The most that were present at once. */
  most: number;
}

/**
 * Carries out step after step, each after a look of its own, until the set waits. What is deleted
 * is gone by the next look.
 */
function runToEnd(wish: Wish, start: readonly MachineFact[]): Run {
  const steps: MachineSetStep[] = [];
  let machines = [...start];
  let toPush = machines.map(({ name }) => name);
  let batchSize = 1;
  let most = 0;
  for (;;) {
    most = Math.max(most, machines.filter(isPresent).length);
    const observation = surveyOf(wish, machines, toPush.slice(0, burst));
    const step = planMachineSet({ observation, createdSince: 0, batchSize }, now);
    steps.push(step);
    if (step.action === 'wait' || step.action === 'release') return { steps, machines, most };
    if (step.action === 'create') {
      const names = Array.from({ length: step.count }, (_, index) => `${steps.length}-${index}`);
      machines = [...machines, ...names.map((name) => aFact({ name }))];
      batchSize = nextBatchSize(batchSize);
    } else if (step.action === 'preserve') machines = machines.map((one) => marked(one, step));
    else {
      const done = new Set(step.names);
      if (step.action === 'delete') machines = machines.filter(({ name }) => !done.has(name));
      toPush = toPush.filter((name) => !done.has(name));
    }
    // A hundred at a time, and a replacement for each that went.
    expect(steps.length).toBeLessThan(40);
  }
}

function marked(machine: MachineFact, { preserve, unpreserve }: AutoPreservation): MachineFact {
  if (preserve.includes(machine.name)) return { ...machine, preserve: 'auto-preserved' };
  if (!unpreserve.includes(machine.name)) return machine;
  const { preserve: _gone, preservedUntil: _over, ...rest } = machine;
  return rest;
}

describe('whatever the machines and the wish', () => {
  test('it ends, with the number that is wanted', () => {
    fc.assert(
      fc.property(anyWish, anyFacts, (wish, start) => {
        fc.pre(!wish.isDeleting);
        const { machines } = runToEnd(wish, start);
        const present = machines.filter(isPresent);
        // Those that were updated in place are on their way to another set.
        const guests = present.filter(({ isUpdatedInPlace }) => isUpdatedInPlace).length;
        expect(present.length).toBeLessThanOrEqual(wish.replicas + guests);
        expect(present.length).toBeGreaterThanOrEqual(wish.isFrozen ? 0 : wish.replicas);
      }),
    );
  });

  test('it never grows past what is wanted or was there', () => {
    fc.assert(
      fc.property(anyWish, anyFacts, (wish, start) => {
        const before = start.filter(isPresent).length;
        expect(runToEnd(wish, start).most).toBeLessThanOrEqual(Math.max(before, wish.replicas));
      }),
    );
  });

  test('a frozen set and one that goes make nothing', () => {
    fc.assert(
      fc.property(anyWish, anyFacts, (wish, start) => {
        fc.pre(wish.isFrozen || wish.isDeleting);
        const actions = runToEnd(wish, start).steps.map(({ action }) => action);
        expect(actions).not.toContain('create');
      }),
    );
  });

  test('each step says why', () => {
    fc.assert(
      fc.property(anyWish, anyFacts, (wish, start) => {
        for (const { reason } of runToEnd(wish, start).steps) expect(reason).not.toBe('');
      }),
    );
  });

  test('any input order gives the same plan', () => {
    const shuffled = anyFacts.chain((machines) =>
      fc.tuple(
        fc.constant(machines),
        fc.shuffledSubarray(machines, { minLength: machines.length }),
      ),
    );
    fc.assert(
      fc.property(anyWish, shuffled, (wish, [machines, others]) => {
        const plan = (facts: MachineFact[]) =>
          planMachineSet(
            { observation: surveyOf(wish, facts), createdSince: 0, batchSize: 1 },
            now,
          );
        expect(plan(others)).toEqual(plan(machines));
      }),
    );
  });
});

test('a set deletes at most one burst of 500 machines at once', () => {
  const machines = Array.from({ length: 500 }, (_, index) =>
    aFact({
      name: `pool-${index}`,
      createdAt: index % 7,
      phase: index % 3 ? 'Running' : 'Pending',
    }),
  );
  const { toDelete } = surveyOf({ replicas: 1, isDeleting: false, isFrozen: false }, machines);
  expect(toDelete.names).toHaveLength(burst);
});
