import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type {
  MachineSetFacts,
  MachineSetStep,
  SetDemand,
  SetSurvey,
} from '../../../workflows/plan/machine-set.ts';
import {
  burst,
  isPresent,
  machinesToDelete,
  nextBatchSize,
  planMachineSet,
} from '../../../workflows/plan/machine-set.ts';
import { aFact, anyFacts } from './machine-fact.ts';

const now = 1_000_000;

function demand(changes: Partial<SetDemand> = {}): SetDemand {
  return {
    isDeleting: false,
    hasFinalizer: true,
    isOrphaning: false,
    replicas: 3,
    isFrozen: false,
    faults: [],
    ...changes,
  };
}

interface Given {
  demand?: Partial<SetDemand>;
  survey?: Partial<Omit<SetSurvey, 'demand'>>;
  facts?: Partial<Omit<MachineSetFacts, 'survey'>>;
}

function facts(given: Given): MachineSetFacts {
  const present = given.survey?.present ?? 0;
  return {
    survey: {
      demand: demand(given.demand),
      total: present,
      present,
      toDelete: { names: [], reason: '' },
      ...given.survey,
    },
    createdSince: 0,
    batchSize: 1,
    ...given.facts,
  };
}

const surplus = { names: ['pool-b'], reason: '4 machines, 3 wanted' };

test.each<{ name: string; given: Given; step: Partial<MachineSetStep> }>([
  { name: 'an empty set starts with one', given: {}, step: { action: 'create', count: 1 } },
  {
    name: 'and goes on with a whole batch',
    given: { demand: { replicas: 100 }, survey: { present: 15 }, facts: { batchSize: 16 } },
    step: { action: 'create', count: 16 },
  },
  {
    name: 'a batch is no larger than what is missing',
    given: { survey: { present: 1 }, facts: { batchSize: 8 } },
    step: { action: 'create', count: 2 },
  },
  {
    name: 'machines of batches since the last look count',
    given: { survey: { present: 1 }, facts: { batchSize: 8, createdSince: 1 } },
    step: { action: 'create', count: 1 },
  },
  {
    name: 'a full set waits',
    given: { survey: { present: 3 } },
    step: { action: 'wait', reason: 'has 3 of 3 machines' },
  },
  {
    name: 'a surplus goes',
    given: { survey: { present: 4, toDelete: surplus } },
    step: { action: 'delete', ...surplus },
  },
  {
    name: 'missing machines come before failed ones go',
    given: { survey: { present: 2, toDelete: surplus } },
    step: { action: 'create', count: 1 },
  },
  {
    name: 'a frozen set makes nothing',
    given: { demand: { isFrozen: true } },
    step: { action: 'wait', reason: '3 machines missing, but the set is frozen' },
  },
  {
    name: 'a frozen set still shrinks',
    given: { demand: { isFrozen: true }, survey: { present: 4, toDelete: surplus } },
    step: { action: 'delete', ...surplus },
  },
  {
    name: 'a refused batch waits and says why',
    given: { facts: { retryAt: now + 2_000, lastError: 'quota' } },
    step: { action: 'wait', reason: '3 machines missing; quota', until: now + 2_000 },
  },
  {
    name: 'and is tried again when the time is over',
    given: { facts: { retryAt: now, lastError: 'quota' } },
    step: { action: 'create', count: 1 },
  },
  {
    name: 'a faulty spec does nothing, not even shrink',
    given: { demand: { faults: ['a', 'b'] }, survey: { present: 4, toDelete: surplus } },
    step: { action: 'wait', reason: 'a; b' },
  },
])('$name', ({ given, step }) => {
  expect(planMachineSet(facts(given), now)).toMatchObject(step);
});

describe('deletion', () => {
  const deleting = { isDeleting: true };
  const names = { names: ['pool-a'], reason: 'the set is being deleted' };
  test.each<{ name: string; given: Given; step: Partial<MachineSetStep> }>([
    {
      name: 'takes the machines along',
      given: { demand: deleting, survey: { present: 1, toDelete: names } },
      step: { action: 'delete', ...names },
    },
    {
      name: 'waits for those that are going',
      given: { demand: deleting, survey: { total: 2 } },
      step: { action: 'wait', reason: '2 machines are going away' },
    },
    {
      name: 'ends when none is left',
      given: { demand: deleting },
      step: { action: 'release' },
    },
    {
      name: 'ends although the spec is faulty',
      given: { demand: { ...deleting, faults: ['no selector'] } },
      step: { action: 'release' },
    },
    {
      name: 'leaves the machines alone while they are let go',
      given: {
        demand: { ...deleting, isOrphaning: true },
        survey: { present: 1, toDelete: names },
      },
      step: { action: 'wait' },
    },
    {
      name: 'touches nothing when our finalizer was stripped',
      given: {
        demand: { ...deleting, hasFinalizer: false },
        survey: { present: 1, toDelete: names },
      },
      step: { action: 'wait' },
    },
  ])('$name', ({ given, step }) => {
    expect(planMachineSet(facts(given), now)).toMatchObject(step);
  });
});

test('there are never more machines than replicas, whatever order answers come in', () => {
  const given = fc.record({
    replicas: fc.integer({ min: 0, max: 500 }),
    present: fc.integer({ min: 0, max: 500 }),
    createdSince: fc.integer({ min: 0, max: 500 }),
    batchSize: fc.integer({ min: 1, max: 200 }),
  });
  fc.assert(
    fc.property(given, ({ replicas, present, ...rest }) => {
      const step = planMachineSet(
        facts({ demand: { replicas }, survey: { present }, facts: rest }),
        now,
      );
      const count = step.action === 'create' ? step.count : 0;
      expect(count).toBeLessThanOrEqual(Math.max(replicas - present - rest.createdSince, 0));
      expect(count).toBeLessThanOrEqual(burst);
    }),
  );
});

test('slow start ends at the wanted number in few batches', () => {
  let batchSize = 1;
  let createdSince = 0;
  const batches: number[] = [];
  for (;;) {
    const given = facts({ demand: { replicas: 37 }, facts: { batchSize, createdSince } });
    const step = planMachineSet(given, now);
    if (step.action !== 'create') break;
    batches.push(step.count);
    createdSince += step.count;
    batchSize = nextBatchSize(batchSize);
  }
  expect(batches).toEqual([1, 2, 4, 8, 16, 6]);
});

test('a batch never grows past the burst', () => {
  expect(nextBatchSize(64)).toBe(burst);
  expect(nextBatchSize(burst)).toBe(burst);
});

describe('which machines go', () => {
  test('those above replicas, in the order of the scale-down', () => {
    const machines = [
      aFact({ name: 'a', phase: 'Running' }),
      aFact({ name: 'b', phase: 'Failed' }),
      aFact({ name: 'c', phase: 'Pending' }),
      aFact({ name: 'd', phase: 'Running' }),
    ];
    expect(machinesToDelete(demand({ replicas: 2 }), machines, now)).toEqual({
      names: ['b', 'c'],
      reason: '4 machines, 2 wanted',
    });
  });

  test('machines that are going already do not count', () => {
    const machines = [
      aFact({ name: 'a' }),
      aFact({ name: 'b', isDeleting: true }),
      aFact({ name: 'c', phase: 'Terminating' }),
    ];
    expect(machinesToDelete(demand({ replicas: 1 }), machines, now).names).toEqual([]);
    expect(machines.filter(isPresent)).toHaveLength(1);
  });

  test('failed ones are replaced once the number is right', () => {
    const machines = [aFact({ name: 'a' }), aFact({ name: 'b', phase: 'Failed' })];
    expect(machinesToDelete(demand({ replicas: 2 }), machines, now).names).toEqual(['b']);
  });

  test('all that are there, when the set goes', () => {
    const machines = [aFact({ name: 'a' }), aFact({ name: 'b', isDeleting: true })];
    expect(machinesToDelete(demand({ isDeleting: true }), machines, now).names).toEqual(['a']);
  });

  test('never more than the surplus, never more than the burst, never one twice', () => {
    const replicas = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(anyFacts, replicas, (machines, wanted) => {
        const { names } = machinesToDelete(demand({ replicas: wanted }), machines, now);
        const present = machines.filter(isPresent);
        const failed = present.filter(({ phase }) => phase === 'Failed').length;
        const most = Math.max(present.length - wanted, present.length > wanted ? 0 : failed);
        expect(names.length).toBeLessThanOrEqual(Math.min(most, burst));
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});
