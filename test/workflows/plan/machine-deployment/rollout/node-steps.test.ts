import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
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
