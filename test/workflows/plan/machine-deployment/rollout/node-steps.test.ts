import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { Rules } from '../../../../../workflows/plan/machine-deployment/plan.ts';
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
  const rollout = rolloutOf(someFacts({ hasNodes: true, ...facts, sets }));
  const { nodeStep } = planNodes(rollout, { now: 0 });
  expect(nodeStep === undefined).toBe(step === undefined);
  expect(nodeStep ?? {}).toMatchObject(step ?? {});
});

describe('a rollout that stands still', () => {
  const options = { autoRollback: false, faults: [] };
  const canary = {
    options: { ...options, canary: 1 },
    sets: [tainted, theNewSet({ machines: 'A' })],
  };
  const later = { options: { ...options, rolloutAfter: { at: 200_000, text: '22:00' } } };
  const faulty = { options: { ...options, faults: ['annotation x: Invalid value'] } };
  const heldSince = 40_000;
  const aMinuteOn = 100_000;

  function planOf(facts: Partial<DeploymentFacts>, now: number, rules: Rules = { heldSince }) {
    const nodes = { hasNodes: true, hasProtectedNodes: true, unprotectedNodes: ['a'] };
    const sets = [tainted, theNewSet({ machines: 'U' })];
    return planMachineDeployment(someFacts({ ...nodes, sets, ...facts }), now, rules);
  }

  test.each<{
    name: string;
    facts: Partial<DeploymentFacts>;
    rules?: Rules;
    step: NodeStep['action'] | undefined;
  }>([
    { name: 'after its canary', facts: canary, step: 'releaseNodes' },
    { name: 'until its time', facts: later, step: 'releaseNodes' },
    { name: 'for an option', facts: faulty, step: 'releaseNodes' },
    {
      name: 'by a policy',
      facts: { gate: { closed: { policy: 'db', kind: 'time', why: 'closed' } } },
      step: 'releaseNodes',
    },
    { name: 'by a pause, as with MCM', facts: { isPaused: true }, step: undefined },
    { name: 'no more', facts: {}, step: 'protectNodes' },
    { name: 'where the flag is off', facts: { ...later, protectsNodes: false }, step: undefined },
    { name: 'without Nodes', facts: { ...later, hasNodes: false }, step: undefined },
    {
      name: 'with none that is kept',
      facts: { ...later, hasProtectedNodes: false },
      step: undefined,
    },
    {
      name: 'in an earlier history',
      facts: later,
      rules: { heldSince, protectsHeldNodes: true },
      step: undefined,
    },
    {
      name: 'in one, after its canary',
      facts: canary,
      rules: { heldSince, protectsHeldNodes: true },
      step: 'protectNodes',
    },
  ])('gives its Nodes to the autoscaler: $name: $step', ({ facts, rules, step }) => {
    expect(planOf(facts, aMinuteOn, rules).nodeStep?.action).toBe(step);
  });

  test.each<{ name: string; facts: Partial<DeploymentFacts> }>([
    { name: 'after its canary', facts: canary },
    { name: 'until its time', facts: later },
    { name: 'for an option', facts: faulty },
  ])('keeps them for a minute, and keeps no others: $name', ({ facts }) => {
    const plan = planOf(facts, aMinuteOn - 1);
    expect(plan.nodeStep).toBeUndefined();
    expect(plan.until).toBe(aMinuteOn);
    expect(planOf(facts, aMinuteOn, {}).until).toBe(2 * aMinuteOn - heldSince);
  });

  test.each<{ name: string; facts: Partial<DeploymentFacts> }>([
    { name: 'none is kept', facts: { hasProtectedNodes: false } },
    { name: 'a person paused it', facts: { isPaused: true } },
  ])('is not planned again in a minute where $name', ({ facts }) => {
    expect(planOf({ ...faulty, ...facts }, heldSince).until).toBeUndefined();
  });
});
