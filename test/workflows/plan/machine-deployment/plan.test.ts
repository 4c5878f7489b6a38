import {
  planMachineDeployment,
  refusalOf,
  selectsAll,
} from '../../../../workflows/plan/machine-deployment/plan.ts';
import type { DeploymentFacts } from '../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { DeploymentPlan } from '../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aSet, someFacts, theNewSet } from './rollout/deployment-facts.ts';

const given = { autoRollback: true, faults: [], rolledBackFrom: 'new' };

test.each<{ name: string; facts: Partial<DeploymentFacts>; plan: Partial<DeploymentPlan> }>([
  {
    name: 'deleted although faulty',
    facts: { isDeleting: true, faults: ['no selector'], sets: [theNewSet()] },
    plan: { steps: [{ action: 'deleteSets', names: ['new'], reason: 'being deleted' }] },
  },
  {
    name: 'deleted: sets that go are awaited',
    facts: { isDeleting: true, sets: [theNewSet({ isDeleting: true })] },
    plan: { steps: [], reason: '1 MachineSets are going away' },
  },
  {
    name: 'deleted: no set is left',
    facts: { isDeleting: true },
    plan: { steps: [{ action: 'release', reason: 'no MachineSet is left' }] },
  },
  {
    name: 'deleted with --cascade=orphan: its sets stay',
    facts: { isDeleting: true, isOrphaning: true, sets: [theNewSet()] },
    plan: { steps: [], reason: 'being deleted, its sets are let go' },
  },
  {
    name: 'deleted with our finalizer stripped: its sets stay',
    facts: { isDeleting: true, hasFinalizer: false, sets: [theNewSet()] },
    plan: { steps: [], reason: 'being deleted, finalizer gone' },
  },
  {
    name: 'faults are said, and nothing is done',
    facts: { faults: ['no selector', 'no strategy'], sets: [theNewSet({ machines: 'A' })] },
    plan: {
      steps: [],
      state: 'Blocked',
      blockedBy: 'spec',
      report: { type: 'Warning', reason: 'InvalidSpec', message: 'no selector; no strategy' },
    },
  },
  {
    name: 'a rollback comes first',
    facts: { rollbackTo: 1, sets: [aSet({ machines: 'A' }), theNewSet({ machines: 'A' })] },
    plan: {
      steps: [
        { action: 'rollBack', set: 'old', revision: 1, wish: 1, reason: 'back to revision 1' },
      ],
      state: 'RollingBack',
    },
  },
  {
    name: 'a rollback that is refused is no rollback',
    facts: { rollbackTo: 9, sets: [theNewSet({ machines: 'A' })] },
    plan: { state: 'Progressing' },
  },
])('the plan of a deployment: $name', ({ facts, plan }) => {
  expect(planMachineDeployment(someFacts(facts), 0)).toMatchObject(plan);
});

test.each<{ name: string; facts: Partial<DeploymentFacts>; reason: string | undefined }>([
  {
    name: 'a selector that asks for nothing',
    facts: { faults: [selectsAll] },
    reason: 'SelectingAll',
  },
  {
    name: 'a template that was given up',
    facts: { options: given, sets: [aSet(), theNewSet()] },
    reason: 'ProgressDeadlineExceeded',
  },
])('the condition says of $name: $reason', ({ facts, reason }) => {
  expect(refusalOf(someFacts(facts))?.reason).toBe(reason);
});
