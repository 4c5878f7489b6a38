import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { EarlierRules } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import { planNodes } from '../../../../../workflows/plan/machine-deployment/rollout/node-steps.ts';
import type { NodeStep } from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aSet, many, rolloutOf, someFacts, theNewSet } from './deployment-facts.ts';

const old = aSet({ machines: 'AA' });
const tainted = aSet({ machines: 'AA', isTainted: true });
const whole = theNewSet({ machines: many('A', 10) });

test.each<{
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
  step: Partial<NodeStep> | undefined;
}>([
  {
    name: 'old Nodes are tainted',
    sets: [old, theNewSet()],
    step: { action: 'taintNodes', set: 'old' },
  },

  {
    name: 'a set that is being deleted is left alone',
    sets: [aSet({ ...old, isDeleting: true }), whole],
    step: undefined,
  },
  {
    name: 'nothing is done without a target cluster',
    facts: { hasNodes: false },
    sets: [old, theNewSet()],
    step: undefined,
  },

  {
    name: 'Nodes of a set that is wanted again lose the taint first',
    sets: [old, theNewSet({ isTainted: true })],
    step: { action: 'untaintNodes', set: 'new' },
  },
  {
    name: 'all Nodes are kept from the autoscaler during a rollout',
    facts: { unprotectedNodes: ['a', 'b'] },
    sets: [tainted, theNewSet()],
    step: { action: 'protectNodes', nodes: ['a', 'b'] },
  },
  {
    name: 'Recreate keeps them too',
    facts: { unprotectedNodes: ['a'], strategy: 'Recreate' },
    sets: [old, theNewSet()],
    step: { action: 'protectNodes' },
  },
  {
    name: 'OnDelete, which may take for ever, does not',
    facts: { unprotectedNodes: ['a'], strategy: 'OnDelete' },
    sets: [tainted, theNewSet()],
    step: undefined,
  },
  {
    name: 'Nodes that were kept are released when OnDelete is chosen',
    facts: { hasProtectedNodes: true, strategy: 'OnDelete' },
    sets: [tainted, theNewSet()],
    step: { action: 'releaseNodes' },
  },
  {
    name: 'the flag turns it off',
    facts: { unprotectedNodes: ['a'], protectsNodes: false },
    sets: [tainted, theNewSet()],
    step: undefined,
  },
  {
    name: 'no rollout, nothing to keep',
    facts: { unprotectedNodes: ['a'] },
    sets: [whole],
    step: undefined,
  },
  {
    name: 'they are released when the rollout is over',
    facts: { hasProtectedNodes: true },
    sets: [aSet(), whole],
    step: { action: 'releaseNodes' },
  },
  {
    name: 'and not while old machines are going away',
    facts: { hasProtectedNodes: true },
    sets: [aSet({ going: 1, isTainted: true }), whole],
    step: undefined,
  },
])('the next step for the Nodes of a rollout: $name', ({ facts, sets, step }) => {
  const plan = planNodes(rolloutOf(someFacts({ hasNodes: true, ...facts, sets })));
  expect(plan === undefined).toBe(step === undefined);
  expect(plan ?? {}).toMatchObject(step ?? {});
});

describe('a rollout that stands still', () => {
  const options = { autoRollback: false, faults: [] };
  const canary = {
    options: { ...options, canary: 1 },
    sets: [tainted, theNewSet({ machines: 'A' })],
  };
  const later = { options: { ...options, rolloutAfter: { at: 2_000, text: '22:00' } } };
  const faulty = { options: { ...options, faults: ['annotation x: Invalid value'] } };
  const isOfBefore = { protectsHeldNodes: true };

  test.each<{
    name: string;
    facts: Partial<DeploymentFacts>;
    rules?: EarlierRules;
    step: NodeStep['action'] | undefined;
  }>([
    { name: 'after its canary', facts: canary, step: 'releaseNodes' },
    { name: 'until its time', facts: later, step: 'releaseNodes' },
    { name: 'for an option', facts: faulty, step: 'releaseNodes' },
    { name: 'by a pause, as with MCM', facts: { isPaused: true }, step: undefined },
    { name: 'no more', facts: {}, step: 'protectNodes' },
    { name: 'where the flag is off', facts: { ...later, protectsNodes: false }, step: undefined },
    { name: 'without Nodes', facts: { ...later, hasNodes: false }, step: undefined },
    {
      name: 'with none that is kept',
      facts: { ...later, hasProtectedNodes: false },
      step: undefined,
    },
    { name: 'in an earlier history', facts: later, rules: isOfBefore, step: undefined },
    { name: 'in one, after its canary', facts: canary, rules: isOfBefore, step: 'protectNodes' },
  ])('gives its Nodes to the autoscaler: $name: $step', ({ facts, rules, step }) => {
    const nodes = { hasNodes: true, hasProtectedNodes: true, unprotectedNodes: ['a'] };
    const sets = [tainted, theNewSet({ machines: 'U' })];
    const plan = planMachineDeployment(someFacts({ ...nodes, sets, ...facts }), 1_000, rules);
    expect(plan.nodeStep?.action).toBe(step);
  });
});
