import { expect, test } from '@jest/globals';
import { planMachineDeployment } from '../../../../workflows/plan/machine-deployment.ts';
import type { DeploymentFacts } from '../../../../workflows/plan/rollout/facts.ts';
import type { DeploymentStep } from '../../../../workflows/plan/rollout/steps.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const done = { reason: 'NewMachineSetAvailable', isOverdue: false, isComplete: true };
const whole = theNewSet({ machines: many('A', 10) });

test.each<{ name: string; facts: Partial<DeploymentFacts>; steps: Partial<DeploymentStep>[] }>([
  {
    name: 'the first set is made at full size',
    facts: {},
    steps: [{ action: 'createSet', name: 'new', replicas: 10, revision: 1 }],
  },
  {
    name: 'a set for a new template is made with what the surge allows, and the highest revision',
    facts: {
      sets: [aSet({ machines: many('A', 10), revision: 6 }), aSet({ name: 'idle', revision: 8 })],
    },
    steps: [{ action: 'createSet', name: 'new', replicas: 2, revision: 9 }],
  },
  {
    name: 'without surge it is made empty, and says why it is made',
    facts: { maxSurge: 0, maxUnavailable: 1, sets: [aSet({ machines: many('A', 10) })] },
    steps: [{ action: 'createSet', replicas: 0, reason: 'the template has no set yet' }],
  },
  {
    name: 'a paused deployment makes no set',
    facts: { isPaused: true, sets: [aSet({ machines: many('A', 10) })] },
    steps: [],
  },
  {
    name: 'the set of the template takes over what changed before anything else',
    facts: {
      sets: [aSet({ machines: many('A', 8) }), theNewSet({ machines: 'AA', needsSync: true })],
    },
    steps: [{ action: 'syncSet', name: 'new', revision: 2 }],
  },
  {
    name: 'an earlier set that is wanted again gets the highest revision',
    facts: { sets: [theNewSet({ revision: 1 }), aSet({ machines: many('A', 10), revision: 5 })] },
    steps: [{ action: 'syncSet', name: 'new', revision: 6 }],
  },
  {
    name: 'nothing is taken over while paused',
    facts: { isPaused: true, sets: [theNewSet({ machines: many('A', 10), needsSync: true })] },
    steps: [],
  },
  {
    name: 'nothing is taken over by a set that is being deleted',
    facts: { sets: [{ ...whole, needsSync: true, isDeleting: true }] },
    steps: [],
  },
  {
    name: 'a stale note is written',
    facts: { sets: [{ ...whole, hasFreshScaling: false }] },
    steps: [
      { action: 'scaleSet', name: 'new', from: 10, replicas: 10, reason: 'noted for 10 replicas' },
    ],
  },
  {
    name: 'an empty old set needs no note',
    facts: { sets: [aSet({ hasFreshScaling: false, going: 1 }), whole] },
    steps: [],
  },
  {
    name: 'a note waits while the scaling that it is about has to wait',
    facts: {
      replicas: 12,
      sets: [
        aSet({ machines: many('A', 8), isObserved: false, desired: 10, hasFreshScaling: false }),
        theNewSet({ machines: 'UU', desired: 10, hasFreshScaling: false }),
      ],
    },
    steps: [],
  },
  {
    name: 'a write holds for the set that was seen',
    facts: { sets: [theNewSet({ machines: 'A', resourceVersion: '17' })] },
    steps: [{ action: 'scaleSet', resourceVersion: '17', from: 1, replicas: 10 }],
  },
  {
    name: 'marks and grants come before sizes',
    facts: {
      marks: { machines: [{ name: 'm', time: 't' }], was: 'm~t', list: null },
      grants: [{ set: 'new', machines: ['m'] }],
      sets: [theNewSet({ machines: 'A' })],
    },
    steps: [
      { action: 'markMachines' },
      { action: 'grantReplacements', set: 'new', machines: ['m'] },
      { action: 'scaleSet' },
    ],
  },
  {
    name: 'OnDelete closes old sets',
    facts: { strategy: 'OnDelete', sets: [aSet({ machines: many('A', 10) }), theNewSet()] },
    steps: [{ action: 'closeSet', name: 'old', isClosed: true }],
  },
  {
    name: 'a closed set that is wanted again is opened',
    facts: { sets: [{ ...whole, isClosed: true }] },
    steps: [{ action: 'closeSet', name: 'new', isClosed: false }],
  },
  {
    name: 'old sets beyond the limit go when the rollout is complete',
    facts: { progress: done, historyLimit: 0, sets: [aSet(), whole] },
    steps: [{ action: 'deleteSets', names: ['old'] }],
  },
  {
    name: 'and while it is paused',
    facts: { isPaused: true, historyLimit: 0, sets: [aSet(), whole] },
    steps: [{ action: 'deleteSets', names: ['old'] }],
  },
  {
    name: 'but not in the middle of one',
    facts: {
      historyLimit: 0,
      sets: [
        aSet({ name: 'idle' }),
        aSet({ machines: many('A', 10) }),
        theNewSet({ machines: 'UU' }),
      ],
    },
    steps: [],
  },
  {
    name: 'nothing is left to do',
    facts: { progress: done, sets: [aSet(), whole] },
    steps: [],
  },
])('$name', ({ facts, steps }) => {
  const plan = planMachineDeployment(someFacts(facts), 0);
  expect(plan.steps).toHaveLength(steps.length);
  expect(plan.steps).toMatchObject(steps);
});
