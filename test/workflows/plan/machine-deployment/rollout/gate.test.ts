/** A rollout under DisruptionPolicies: decision 58. */
import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import type { DeploymentFacts } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { DeploymentStep } from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const old = aSet({ machines: many('A', 10) });
const middle = [aSet({ machines: many('A', 10) }), theNewSet({ machines: 'AA' })];

const stepsFor = (changes: Partial<DeploymentFacts>): DeploymentStep[] =>
  planMachineDeployment(someFacts(changes), 0).steps;

const disruptingIn = (steps: readonly DeploymentStep[]): string[] =>
  steps.flatMap((step) => ('disrupts' in step ? [`${step.action} ${step.name}`] : []));

describe('a step of a rollout says that it disrupts', () => {
  test.each<{ name: string; facts: Partial<DeploymentFacts>; disrupting: string[] }>([
    {
      name: 'when it makes the new set',
      facts: { sets: [old] },
      disrupting: ['createSet new'],
    },
    {
      name: 'when it makes the new set while another one gives its share of a scale-down',
      facts: {
        replicas: 5,
        sets: [
          aSet({ machines: many('A', 6), desired: 10, max: 12 }),
          aSet({ name: 'older', machines: 'AAAA', desired: 10, max: 12 }),
        ],
      },
      disrupting: ['createSet new'],
    },
    {
      name: 'when it takes old machines and makes new ones',
      facts: {
        maxUnavailable: 2,
        sets: [aSet({ machines: many('A', 9) }), theNewSet({ machines: 'A' })],
      },
      disrupting: ['scaleSet new', 'scaleSet old'],
    },
    {
      name: 'when all old machines go at once',
      facts: { strategy: 'Recreate', sets: [old] },
      disrupting: ['scaleSet old'],
    },
    {
      name: 'not when there is no old machine',
      facts: { sets: [] },
      disrupting: [],
    },
    {
      name: 'not when all old machines are gone',
      facts: { strategy: 'Recreate', sets: [aSet()] },
      disrupting: [],
    },
    {
      name: 'not when replicas are lowered',
      facts: {
        replicas: 5,
        sets: [
          aSet({ machines: many('A', 6), desired: 10, max: 12 }),
          theNewSet({ machines: many('A', 4), desired: 10, max: 12 }),
        ],
      },
      disrupting: [],
    },
    {
      name: 'not when the only set follows replicas',
      facts: { sets: [theNewSet({ machines: 'AAAA' })] },
      disrupting: [],
    },
    {
      name: 'not when people take the machines',
      facts: { strategy: 'OnDelete', sets: [old] },
      disrupting: [],
    },
  ])('$name', ({ facts, disrupting }) => {
    expect(disruptingIn(stepsFor({ ...facts, gate: {} }))).toEqual(disrupting);
  });

  test('only where a policy selects the deployment', () => {
    expect(disruptingIn(stepsFor({ sets: [old] }))).toEqual([]);
    expect(disruptingIn(stepsFor({ sets: middle }))).toEqual([]);
  });
});
