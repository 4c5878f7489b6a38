import { formatFacts } from '../../../workflows/machine-set/details.ts';
import { newState } from '../../../workflows/machine-set/state.ts';
import type { ObservedMachineSet } from '../../../workflows/plan/machine-set/plan.ts';

const observation: ObservedMachineSet = {
  desired: {
    isDeleting: false,
    hasFinalizer: true,
    isOrphaning: false,
    generation: 1,
    replicas: 5,
    faults: [],
  },
  total: 4,
  present: 3,
  failed: { total: 0, preserved: 0, held: 0 },
  toDelete: { names: [], reason: '' },
};

test('the page of a set that was not read yet says nothing', () => {
  expect(formatFacts(newState(), 'shoot')).toEqual([]);
});

test('machines made since the last look are present', () => {
  expect(formatFacts({ ...newState(), observation, createdSince: 2 }, 'shoot')).toEqual([
    '**Machines:** 5 wanted, 5 present, 1 going away, 0 failed',
  ]);
});

test('the page of a set says what holds the set up', () => {
  const state = {
    ...newState(),
    observation: {
      ...observation,
      desired: {
        ...observation.desired,
        frozenBy: 'freeze=True',
        faults: ['spec.selector: wrong'],
      },
      failed: { total: 3, preserved: 1, held: 2 },
    },
    unmatched: { epoch: 1, names: ['pool-s'] },
    unpushable: { generation: 1, names: ['pool-u'] },
    requeues: {
      create: {
        failures: 1,
        retryAt: Date.parse('2026-01-01T00:00:00Z'),
        message: 'exceeded quota',
      },
    },
    machineDeployment: 'workers',
  };
  expect(formatFacts(state, 'shoot')).toEqual([
    '**Machines:** 5 wanted, 3 present, 1 going away, 3 failed, 1 of them preserved, 2 of them not yet allowed to be replaced',
    '**Blocked by:** label `freeze=True` of this set: no machine is made',
    '**Wrong in the spec:** spec.selector: wrong',
    '**Outside the selector:** pool-s',
    '**Do not take the template:** pool-u (another writer changes them back)',
    '**Last error:** exceeded quota',
    '**Next try:** 2026-01-01T00:00:00.000Z',
    '**Above:** workflow `machineDeployment/shoot/workers`',
  ]);
});
