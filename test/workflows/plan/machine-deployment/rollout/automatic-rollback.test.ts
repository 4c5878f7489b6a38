import { expect, test } from 'vitest';
import { planAutomaticRollback } from '../../../../../workflows/plan/machine-deployment/rollout/automatic-rollback.ts';
import type { SetFacts } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

function givesUp(...sets: SetFacts[]): boolean {
  const progress = { reason: 'ProgressDeadlineExceeded', isOverdue: true, isComplete: false };
  const options = { autoRollback: true, faults: [] };
  return planAutomaticRollback(someFacts({ options, progress, sets }))?.action === 'giveUp';
}

test('a template is not given up for a preserved machine beside those that came up', () => {
  expect(givesUp(aSet(), theNewSet({ machines: `${many('A', 9)}U`, preserved: 1 }))).toBe(false);
});

test.each([
  { name: 'fail, preserved or not', set: theNewSet({ machines: 'UU', preserved: 2 }) },
  {
    name: 'are missing beside a preserved one',
    set: theNewSet({ machines: 'UAAU', preserved: 1 }),
  },
])('a template is given up whose machines $name', ({ set }) => {
  expect(givesUp(aSet({ machines: many('A', 10) }), set)).toBe(true);
});
