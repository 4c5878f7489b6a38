import { currentHold } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import { someFacts, theNewSet } from './deployment-facts.ts';

test('an option that cannot be parsed holds nothing where there is no rollout', () => {
  const faulty = { autoRollback: false, faults: ['annotation x: Invalid value'] };
  expect(currentHold(someFacts({ options: faulty, sets: [theNewSet()] }), 0)).toBeUndefined();
});
