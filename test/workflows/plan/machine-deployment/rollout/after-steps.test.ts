import { afterSteps } from '../../../../../workflows/plan/machine-deployment/rollout/after-steps.ts';
import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import type { DeploymentStep } from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aSet, someFacts, theNewSet } from './deployment-facts.ts';

const old = aSet({ machines: 'AAA', desired: 3, max: 4, hasFreshScaling: false });
const fresh = theNewSet({ machines: 'A' });
const facts = someFacts({ replicas: 3, maxSurge: 1, sets: [old, fresh] });

const scale = (name: string, from: number, replicas: number): DeploymentStep => ({
  action: 'scaleSet',
  name,
  resourceVersion: '1',
  from,
  replicas,
  reason: '',
});
const written = (...names: string[]) => names.map((name) => ({ name, resourceVersion: '9' }));

test('a set that was scaled has its new size and version, and is not settled', () => {
  const after = afterSteps(facts, [scale('old', 3, 2)], written('old'));
  expect(after).toEqual({
    ...facts,
    sets: [
      {
        ...old,
        resourceVersion: '9',
        replicas: 2,
        isObserved: false,
        desired: 3,
        max: 4,
        hasFreshScaling: true,
      },
      fresh,
    ],
  });
});

test('a set that only noted the scaling stays settled', () => {
  const after = afterSteps(facts, [scale('old', 3, 3)], written('old'));
  expect(after?.sets[0]).toMatchObject({ isObserved: true, hasFreshScaling: true });
});

test('a Running machine behind a chosen one that has gone counts as none that was chosen', () => {
  const sets = [aSet({ machines: 'AAUU', chosen: [0] }), theNewSet({ machines: 'AA' })];
  const before = someFacts({ replicas: 4, sets });
  const { steps } = planMachineDeployment(before, 0);
  expect(steps).toMatchObject([{ action: 'scaleSet', name: 'old', replicas: 3 }]);
  const after = afterSteps(before, steps, written('old'));
  expect(after && planMachineDeployment(after, 0).steps).toEqual([]);
});

describe('only another look can tell', () => {
  test.each<{ when: string; steps: DeploymentStep[]; names: string[] }>([
    {
      when: 'a write did not hold',
      steps: [scale('old', 3, 2), scale('new', 1, 2)],
      names: ['old'],
    },

    {
      when: 'something else was done as well',
      steps: [scale('old', 3, 2), { action: 'forgetGivenUp', reason: '' }],
      names: ['old'],
    },
  ])('when $when', ({ steps, names }) => {
    expect(afterSteps(facts, steps, written(...names))).toBeUndefined();
  });
});
