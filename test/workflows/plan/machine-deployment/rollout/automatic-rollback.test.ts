import {
  planAutomaticRollback,
  withLateness,
} from '../../../../../workflows/plan/machine-deployment/rollout/automatic-rollback.ts';
import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const options = { autoRollback: true, faults: [] };
const late = { reason: 'ProgressDeadlineExceeded', isOverdue: true, isComplete: false };

function read(progress: DeploymentFacts['progress'], ...sets: SetFacts[]): DeploymentFacts {
  return someFacts({ options, progress, sets });
}

function givesUp(...sets: SetFacts[]): boolean {
  return planAutomaticRollback(read(late, ...sets))?.action === 'giveUp';
}

test('a template is not given up for a preserved machine beside those that came up', () => {
  expect(givesUp(aSet(), theNewSet({ machines: `${many('A', 9)}U`, preserved: 1 }))).toBe(false);
});

test('what is updated in place is not taken back without a person', () => {
  const facts = read(late, aSet(), theNewSet({ machines: 'UA' }));
  expect(planAutomaticRollback({ ...facts, strategy: 'InPlaceUpdate' })).toBeUndefined();
});

test('a rollout that is late as old machines drain is not given up for a new one that fails', () => {
  const draining = aSet({ going: 1 });
  const whole = withLateness(undefined, read(late, draining, theNewSet({ machines: 'AAA' })));
  const failed = withLateness(whole, read(late, draining, theNewSet({ machines: 'UAA' })));
  expect(planAutomaticRollback(failed)).toBeUndefined();
});

test('a rollout that went on and is late again is given up', () => {
  const again = { reason: 'MachineSetUpdated', isOverdue: false, isComplete: false };
  const whole = withLateness(undefined, read(late, aSet(), theNewSet({ machines: 'A' })));
  const goesOn = withLateness(whole, read(again, aSet(), theNewSet({ machines: 'UA' })));
  const facts = withLateness(goesOn, read(late, aSet(), theNewSet({ machines: 'UA' })));
  expect(planAutomaticRollback(facts)?.action).toBe('giveUp');
});
