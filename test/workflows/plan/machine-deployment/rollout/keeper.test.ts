import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import { keeperOf } from '../../../../../workflows/plan/machine-deployment/rollout/keeper.ts';
import { aSet, many, rolloutOf, someFacts, theNewSet } from './deployment-facts.ts';

describe('what the new set may not have yet is for', () => {
  test.each<{ name: string; sets: SetFacts[]; keeper: string | undefined }>([
    {
      name: 'the old set with the highest revision',
      sets: [aSet({ machines: 'A' }), aSet({ name: 'newer', revision: 2, machines: 'A' })],
      keeper: 'newer',
    },
  ])('$name', ({ sets, keeper }) => {
    const all = [...sets, theNewSet({ revision: 3 })];
    expect(keeperOf(rolloutOf(someFacts({ sets: all })))?.name).toBe(keeper);
  });

  test.each<{ name: string; other: SetFacts }>([
    { name: 'whose template was given up', other: theNewSet({ machines: 'A' }) },
    { name: 'that is still to be made', other: aSet({ name: 'blank', uid: '' }) },
    { name: 'that the machines go to', other: aSet({ machines: 'A' }) },
  ])('no set $name', ({ other }) => {
    const target = aSet({ machines: 'A' });
    const others = [other.name === target.name ? target : other];
    expect(keeperOf({ facts: someFacts(), target, others })).toBeUndefined();
  });
});

const canary = { autoRollback: false, faults: [], canary: 1 };

function sizesFor(facts: Partial<DeploymentFacts>): Record<string, number> {
  const { steps } = planMachineDeployment(someFacts({ options: canary, maxSurge: 1, ...facts }), 0);
  return Object.fromEntries(
    steps.flatMap((step) => (step.action === 'scaleSet' ? [[step.name, step.replicas]] : [])),
  );
}

describe('with a canary', () => {
  const old = aSet({ machines: many('A', 10) });
  test.each<{ name: string; facts: Partial<DeploymentFacts>; sizes: Record<string, number> }>([
    {
      name: 'whose set is larger than it, the old set takes the rest',
      facts: { replicas: 20, sets: [old, theNewSet({ machines: 'AAA' })] },
      sizes: { old: 17 },
    },
    {
      name: 'nothing is taken twice: the place of the canary stays free',
      facts: { sets: [aSet({ machines: many('A', 9), going: 2 }), theNewSet()] },
      sizes: {},
    },

    {
      name: 'machines that drain since nothing was wanted hold nobody up',
      facts: {
        sets: [aSet({ going: 10, desired: 0 }), theNewSet({ going: 1, desired: 0 })],
      },
      sizes: { old: 9, new: 1 },
    },
    {
      name: 'the old set does not grow while a set works on its size',
      facts: { replicas: 20, sets: [old, theNewSet({ machines: 'U', isObserved: false })] },
      sizes: {},
    },
    {
      name: 'a paused deployment leaves a scale-up to the old set',
      facts: { isPaused: true, replicas: 20, sets: [old, theNewSet({ machines: 'A' })] },
      sizes: { old: 19 },
    },
  ])('$name', ({ facts, sizes }) => {
    expect(sizesFor(facts)).toEqual(sizes);
  });
});
