import fc from 'fast-check';
import type {
  MachineSetFacts,
  MachineSetStep,
  DesiredMachines,
  ObservedMachineSet,
} from '../../../../workflows/plan/machine-set/plan.ts';
import {
  batchLimit,
  isOneStepAway,
  nextBatchSize,
  planMachineSet,
} from '../../../../workflows/plan/machine-set/plan.ts';
import type { RefusedWrites } from '../../../../workflows/plan/requeues.ts';
import { burst } from '../../../../workflows/plan/machine-set/deletions.ts';

const now = 1_000_000;

function desired(changes: Partial<DesiredMachines> = {}): DesiredMachines {
  return {
    isDeleting: false,
    hasFinalizer: true,
    isOrphaning: false,
    generation: 1,
    replicas: 3,
    faults: [],
    ...changes,
  };
}

interface Given {
  desired?: Partial<DesiredMachines>;
  observation?: Partial<Omit<ObservedMachineSet, 'demand'>>;
  facts?: Partial<Omit<MachineSetFacts, 'survey'>>;
}

function facts(given: Given): MachineSetFacts {
  const present = given.observation?.present ?? 0;
  return {
    observation: {
      desired: desired(given.desired),
      total: present,
      present,
      failed: { total: 0, preserved: 0, held: 0 },
      toDelete: { names: [], reason: '' },
      ...given.observation,
    },
    createdSince: 0,
    batchSize: 1,
    ...given.facts,
  };
}

const surplus = { names: ['pool-b'], reason: '4 machines, 3 wanted' };

function refusedTo(count: number): { requeues: { refused: RefusedWrites } } {
  const names = Array.from({ length: count }, (_, index) => `pool-${index}`);
  const message = 'kept for forensics';
  const retryAt = now + 9_000;
  return {
    requeues: { refused: { names, reason: 'FailedDelete', message, failures: 1, retryAt } },
  };
}

function quotaUntil(retryAt: number) {
  return { requeues: { create: { failures: 1, retryAt, message: 'quota' } } };
}

test.each<{ name: string; given: Given; step: Partial<MachineSetStep> }>([
  {
    name: 'machines that are refused keep no other from being deleted',
    given: { observation: { present: 4, toDelete: surplus }, facts: refusedTo(99) },
    step: { action: 'delete', ...surplus },
  },
  {
    name: 'a hundred machines that are refused are enough for now',
    given: { observation: { present: 4, toDelete: surplus }, facts: refusedTo(100) },
    step: { action: 'wait', until: now + 9_000 },
  },

  {
    name: 'a set that waits for machines that are refused says so and tries again',
    given: { observation: { present: 4 }, facts: refusedTo(1) },
    step: {
      action: 'wait',
      reason: 'has 4 of 3 machines; 1 machines cannot be written: kept for forensics',
      until: now + 9_000,
    },
  },

  {
    name: 'a frozen set makes nothing',
    given: { desired: { frozenBy: 'freeze=True' } },
    step: {
      action: 'wait',
      reason: '3 machines missing, but label freeze=True allows no new ones',
    },
  },

  {
    name: 'a refused batch waits and says why',
    given: { facts: quotaUntil(now + 2_000) },
    step: { action: 'wait', reason: '3 machines missing; quota', until: now + 2_000 },
  },
  {
    name: 'and is tried again when the time is over',
    given: { facts: quotaUntil(now) },
    step: { action: 'create', count: 1 },
  },
  {
    name: 'a template is pushed when the number is right',
    given: { observation: { present: 3, toPush: ['pool-a'] } },
    step: { action: 'push', names: ['pool-a'], reason: '1 machines differ from the template' },
  },
  {
    name: 'missing machines come before a push',
    given: { observation: { present: 2, toPush: ['pool-a'] } },
    step: { action: 'create', count: 1 },
  },

  {
    name: 'failed machines that stay are said, and the end of their preservation is awaited',
    given: {
      observation: { present: 3, failed: { total: 3, preserved: 2, held: 1 }, holdsUntil: now + 9 },
    },
    step: {
      action: 'wait',
      reason:
        'has 3 of 3 machines; 2 failed and preserved; 1 failed, not yet allowed to be replaced',
      until: now + 9,
    },
  },
  {
    name: 'a faulty spec does nothing, not even shrink',
    given: { desired: { faults: ['a', 'b'] }, observation: { present: 4, toDelete: surplus } },
    step: { action: 'wait', reason: 'a; b' },
  },
])('the plan of a set: $name', ({ given, step }) => {
  expect(planMachineSet(facts(given), now)).toMatchObject(step);
});

describe('deletion', () => {
  const deleting = { isDeleting: true };
  const names = { names: ['pool-a'], reason: 'the set is being deleted' };
  test.each<{ name: string; given: Given; step: Partial<MachineSetStep> }>([
    {
      name: 'takes the machines along',
      given: { desired: deleting, observation: { present: 1, toDelete: names } },
      step: { action: 'delete', ...names },
    },
    {
      name: 'waits for those that are going',
      given: { desired: deleting, observation: { total: 2 } },
      step: { action: 'wait', reason: '2 machines are going away' },
    },

    {
      name: 'leaves the machines alone while they are let go',
      given: {
        desired: { ...deleting, isOrphaning: true },
        observation: { present: 1, toDelete: names },
      },
      step: { action: 'wait' },
    },
    {
      name: 'touches nothing when our finalizer was stripped',
      given: {
        desired: { ...deleting, hasFinalizer: false },
        observation: { present: 1, toDelete: names },
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
        facts({ desired: { replicas }, observation: { present }, facts: rest }),
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
    const given = facts({ desired: { replicas: 37 }, facts: { batchSize, createdSince } });
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

test.each([
  { name: 'more are wanted', generation: 2, replicas: 20, limit: 4 },

  { name: 'far fewer are wanted', generation: 2, replicas: 0, limit: 0 },
])('the next limit of a batch of 4 towards 10, when $name: $limit', ({ limit, ...present }) => {
  expect(batchLimit({ count: 4, basis: { generation: 1, replicas: 10 } }, present)).toBe(limit);
});

describe('a spec that was just seen', () => {
  const observation = (given: Given): ObservedMachineSet => facts(given).observation;

  test.each<{ name: string; given: Given; batchSize?: number; isAway: boolean }>([
    { name: 'what one batch makes', given: {}, batchSize: 4, isAway: true },
    { name: 'more than a batch', given: {}, batchSize: 2, isAway: false },
    { name: 'a batch that has to wait', given: {}, isAway: false },
    {
      name: 'what one batch deletes',
      given: { observation: { present: 4, toDelete: surplus } },
      batchSize: 1,
      isAway: true,
    },
    { name: 'nothing to do', given: { observation: { present: 3 } }, batchSize: 4, isAway: false },
    {
      name: 'a frozen set',
      given: { desired: { frozenBy: 'freeze=True' } },
      batchSize: 4,
      isAway: false,
    },
    { name: 'a faulty set', given: { desired: { faults: ['x'] } }, batchSize: 4, isAway: false },
    {
      name: 'a set that goes',
      given: { desired: { isDeleting: true } },
      batchSize: 4,
      isAway: false,
    },
  ])('is one step away ($isAway): $name', ({ given, batchSize, isAway }) => {
    expect(isOneStepAway(observation(given), batchSize)).toBe(isAway);
  });
});

describe('while everything is stopped', () => {
  const stop = 'stopped by ConfigMap shoot/millwright-stop';

  test.each<{ name: string; given: Given; expected: Partial<MachineSetStep> }>([
    {
      name: 'a set with machines to make waits',
      given: {},
      expected: { action: 'wait', reason: `3 of 3 missing; ${stop}` },
    },

    {
      name: 'a set with machines to delete pushes its template',
      given: { observation: { present: 4, toDelete: surplus, toPush: ['pool-a'] } },
      expected: { action: 'push', names: ['pool-a'] },
    },
    {
      name: 'a set that is being deleted pushes nothing',
      given: {
        desired: { isDeleting: true },
        observation: { present: 1, toDelete: surplus, toPush: ['pool-a'] },
      },
      expected: { action: 'wait' },
    },
    {
      name: 'a set without machines is released',
      given: { desired: { isDeleting: true }, observation: { present: 0 } },
      expected: { action: 'release' },
    },
  ])('$name', ({ given, expected }) => {
    const step = planMachineSet(facts({ ...given, facts: { stop } }), now);
    expect(step).toMatchObject(expected);
  });
});

describe('a status that was refused is written again at its time', () => {
  test.each<{ name: string; given: Given; until?: number }>([
    { name: 'while its spec is faulty', given: { desired: { faults: ['no class'] } } },

    {
      name: 'before the next batch of creates',
      given: { facts: quotaUntil(now + 60) },
    },
  ])('$name', ({ given, until = now + 9 }) => {
    const seen = { ...given, observation: { ...given.observation, holdsUntil: now + 9 } };
    expect(planMachineSet(facts(seen), now)).toMatchObject({ action: 'wait', until });
  });
});
