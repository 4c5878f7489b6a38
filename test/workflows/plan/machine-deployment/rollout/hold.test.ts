import { currentHold } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import type {
  DeploymentFacts,
  RolloutOptions,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { canaryLimit } from '../../../../../workflows/plan/machine-deployment/rollout/canary.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const options = (changes: Partial<RolloutOptions>): RolloutOptions => ({
  autoRollback: false,
  faults: [],
  ...changes,
});
const canary = options({ canary: 2 });
const old = aSet({ machines: many('A', 10) });

test('an option that cannot be parsed holds nothing where there is no rollout', () => {
  const faulty = options({ faults: ['annotation x: Invalid value'] });
  expect(currentHold(someFacts({ options: faulty, sets: [theNewSet()] }), 0)).toBeUndefined();
});

describe('a canary', () => {
  test.each<{
    name: string;
    facts?: Partial<DeploymentFacts>;
    sets?: SetFacts[];
    target?: SetFacts;
    limit: number | undefined;
  }>([
    {
      name: 'that an earlier revision passed does',
      facts: { options: options({ canary: 2, canaryPassed: 1 }) },
      limit: 2,
    },
    { name: 'of all machines is none', facts: { replicas: 2 }, limit: undefined },
    {
      name: 'has no say without a rollout',
      sets: [aSet(), theNewSet({ machines: 'A' })],
      limit: undefined,
    },
    {
      name: 'has no say in a rollback that has just begun',
      target: theNewSet({ revision: 0 }),
      limit: undefined,
    },
    { name: 'has no say with OnDelete', facts: { strategy: 'OnDelete' }, limit: undefined },
  ])('$name', ({ facts, target = theNewSet(), sets = [old, target], limit }) => {
    expect(canaryLimit(someFacts({ options: canary, ...facts, sets }), target)).toBe(limit);
  });
});
