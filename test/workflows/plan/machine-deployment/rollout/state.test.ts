import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import { awaited } from '../../../../../workflows/plan/machine-deployment/rollout/awaited.ts';
import { isRollback } from '../../../../../workflows/plan/machine-deployment/rollout/direction.ts';
import type { DeploymentFacts } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { DeploymentPlan } from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const now = 1_000_000;
const overdue = { reason: 'ProgressDeadlineExceeded', isOverdue: true, isComplete: false };
const whole = theNewSet({ machines: many('A', 10) });
const stuck = [aSet({ machines: many('A', 10) }), theNewSet({ machines: 'UU' })];

test.each<{ name: string; facts: Partial<DeploymentFacts>; plan: Partial<DeploymentPlan> }>([
  {
    name: 'a set that cannot make machines',
    facts: {
      sets: [
        aSet({ machines: many('A', 10) }),
        theNewSet({ machines: 'U', replicas: 2, problem: 'quota exceeded' }),
      ],
    },
    plan: {
      state: 'Blocked',
      blockedBy: 'MachineSet/new',
      reason:
        'waits for 2 machines of MachineSet new to become available; no room for more, at most 12 machines; quota exceeded',
    },
  },
  {
    name: 'a rollout past its deadline',
    facts: { progress: overdue, sets: stuck },
    plan: {
      state: 'Blocked',
      blockedBy: 'MachineSet/new',
      report: {
        type: 'Warning',
        reason: 'ProgressDeadlineExceeded',
        message: 'MachineSet "new" has timed out progressing.',
      },
    },
  },
])('the state of a rollout that is $name is $plan.state', ({ facts, plan }) => {
  expect(planMachineDeployment(someFacts(facts), now)).toMatchObject(plan);
});

test.each<{ name: string; facts: Partial<DeploymentFacts> }>([
  {
    name: 'gone back to',
    facts: {
      options: { autoRollback: true, faults: [], rolledBackFrom: 'new' },
      sets: [aSet({ machines: many('A', 9) }), theNewSet({ going: 2 })],
    },
  },
  { name: 'still to be made', facts: { sets: [aSet({ machines: many('A', 10) })] } },
])('no deadline is reported of a set that is $name', ({ facts }) => {
  const plan = planMachineDeployment(someFacts({ progress: overdue, ...facts }), now);
  expect(plan.report).toBeUndefined();
});

test('what waits for available machines says so while one of the old sets has any', () => {
  const [old, idle] = [aSet({ machines: 'A' }), aSet({ name: 'idle' })];
  const rollout = { facts: someFacts(), target: whole, others: [old, idle] };
  expect(awaited(rollout)).toBe('waits for machines to become available');
  expect(awaited({ ...rollout, others: [idle] })).toBe('MachineSet new has 10 replicas');
});

describe('who goes back', () => {
  test.each([
    {
      name: 'a set that is still to be made',
      target: theNewSet({ uid: '', revision: 0 }),
      is: false,
    },
  ])('$name: $is', ({ target, is }) => {
    expect(isRollback(someFacts({ sets: [aSet(), target] }), target)).toBe(is);
  });
});

describe('the next look', () => {
  test.each<{ name: string; facts: Partial<DeploymentFacts>; until: number | undefined }>([
    {
      name: 'is at the earlier of both',
      facts: {
        sets: stuck,
        nextAvailableAt: 9,
        progress: { reason: 'MachineSetUpdated', isOverdue: false, isComplete: false, deadline: 5 },
      },
      until: 5,
    },
    {
      name: 'is when the list of the autoscaler counts without a number',
      facts: { sets: stuck, nextScaledAt: 3, nextAvailableAt: 4 },
      until: 3,
    },
  ])('$name', ({ facts, until }) => {
    expect(planMachineDeployment(someFacts(facts), now).until).toBe(until);
  });
});
