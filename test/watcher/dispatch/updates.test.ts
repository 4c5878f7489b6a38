/** Machines that are updated in place concern their deployment, and those that moved themselves. */
import { Cluster } from '../cluster.ts';
import type { MachineLooks } from '../objects.ts';
import { aMachine, aMachineDeployment, aMachineSet } from '../objects.ts';

let cluster: Cluster;

beforeEach(() => {
  cluster = new Cluster();
  cluster.machineDeployments.put(cluster.now(aMachineDeployment({ name: 'workers' })));
  for (const name of ['old', 'new'])
    cluster.machineSets.put(cluster.now(aMachineSet({ name, owner: 'workers' })));
  cluster.told();
});

const put = (looks: MachineLooks): void => cluster.machines.put(cluster.now(aMachine(looks)));

function toldOf(from: MachineLooks, to: MachineLooks): string[] {
  put(from);
  cluster.told();
  put(to);
  return cluster.told();
}

const observedOf = (looks: MachineLooks): object | undefined => {
  put(looks);
  return cluster.signals().find(({ name }) => name === 'machineObserved')?.payload;
};

const toSet = 'machinesChanged machineSet/old';
const toDeployment = 'machineSetsChanged machineDeployment/workers';

test.each<{ name: string; from: MachineLooks; to: MachineLooks; told: string[] }>([
  {
    name: 'another reason of its condition',
    from: { reason: 'ReadyForUpdate' },
    to: { reason: 'UpdateSuccessful' },
    told: [toDeployment],
  },
  {
    name: 'its first reason',
    from: {},
    to: { reason: 'CandidateForUpdate' },
    told: [toDeployment],
  },
  {
    name: 'that it has none any more',
    from: { reason: 'CandidateForUpdate' },
    to: {},
    told: [toDeployment],
  },
  {
    name: 'that it is InPlaceUpdating no more',
    from: { phase: 'InPlaceUpdating', reason: 'UpdateSuccessful' },
    to: { phase: 'InPlaceUpdateSuccessful', reason: 'UpdateSuccessful' },
    told: [toSet, toDeployment],
  },
  {
    name: 'that it had no answer in time',
    from: { phase: 'InPlaceUpdating', reason: 'ReadyForUpdate' },
    to: { phase: 'InPlaceUpdateFailed', reason: 'ReadyForUpdate' },
    told: [toSet, toDeployment],
  },
  {
    name: 'its phase, as of any other',
    from: { phase: 'Running', reason: 'UpdateSuccessful' },
    to: { phase: 'Unknown', reason: 'UpdateSuccessful' },
    told: [toSet],
  },
  {
    name: 'its phase without any update',
    from: { phase: 'Running' },
    to: { phase: 'Unknown' },
    told: [toSet],
  },
])('a Machine tells $name', ({ from, to, told }) => {
  expect(toldOf({ owner: 'old', ...from }, { owner: 'old', ...to })).toEqual(told);
});

test('one of no deployment tells none', () => {
  cluster.machineSets.put(cluster.now(aMachineSet({ name: 'alone' })));
  cluster.told();
  const told = toldOf({ owner: 'alone' }, { owner: 'alone', reason: 'CandidateForUpdate' });
  expect(told).toEqual([]);
});

test('one that goes tells its set', () => {
  const looks: MachineLooks = {
    owner: 'old',
    reason: 'CandidateForUpdate',
    isDeleting: true,
    hasFinalizer: true,
  };
  put(looks);
  cluster.told();
  cluster.machines.remove(cluster.now(aMachine(looks)));
  expect(cluster.told()).toEqual([toSet]);
});

describe('a Machine that moved', () => {
  const before: MachineLooks = { owner: 'old', reason: 'UpdateSuccessful' };
  const moved: MachineLooks = { ...before, owner: 'new', labels: { hash: 'new' } };

  test('hears of it, as do both sets', () => {
    expect(toldOf(before, moved).toSorted()).toEqual([
      'machineObserved machine/a',
      'machinesChanged machineSet/new',
      toSet,
    ]);
  });

  test('hears where it is until another signal says more, and not from others', () => {
    expect(observedOf({ ...moved, generation: 2 })).toMatchObject({ movedTo: 'new' });
    expect(observedOf({ owner: 'old', name: 'b' })).not.toHaveProperty('movedTo');
  });

  test('one of no update that is adopted, or let go, does not hear of it', () => {
    expect(toldOf({ labels: { a: 'b' } }, { owner: 'new' })).toEqual([
      'machinesChanged machineSet/new',
    ]);
    expect(toldOf({ owner: 'old' }, { owner: 'new' }).toSorted()).toEqual([
      'machinesChanged machineSet/new',
      toSet,
    ]);
  });
});
