import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import type { DeploymentFacts } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { DeploymentStep } from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const whole = theNewSet({ machines: many('A', 10) });

test.each<{ name: string; facts: Partial<DeploymentFacts>; steps: Partial<DeploymentStep>[] }>([
  {
    name: 'the set of the template takes over what changed before anything else',
    facts: {
      sets: [aSet({ machines: many('A', 8) }), theNewSet({ machines: 'AA', needsSync: true })],
    },
    steps: [{ action: 'syncSet', name: 'new', revision: 2 }],
  },
  {
    name: 'an earlier set whose revision cannot be raised for now is scaled meanwhile',
    facts: {
      isSyncHeldBack: true,
      sets: [theNewSet({ revision: 1 }), aSet({ machines: many('A', 10), revision: 5 })],
    },
    steps: [{ action: 'scaleSet', name: 'new', from: 0, replicas: 2 }],
  },
  {
    name: 'an earlier set that is wanted again gets the highest revision',
    facts: { sets: [theNewSet({ revision: 1 }), aSet({ machines: many('A', 10), revision: 5 })] },
    steps: [{ action: 'syncSet', name: 'new', revision: 6 }],
  },
  {
    name: 'a set that may not be made yet takes nothing over',
    facts: {
      options: { autoRollback: false, faults: [], rolloutAfter: { at: 1, text: 'later' } },
      sets: [aSet({ machines: many('A', 10) })],
    },
    steps: [],
  },
  {
    name: 'nothing is taken over while paused',
    facts: { isPaused: true, sets: [theNewSet({ machines: many('A', 10), needsSync: true })] },
    steps: [],
  },
  {
    name: 'a change that has to wait keeps no set from being made in place of one that is deleted',
    facts: {
      newSetName: 'newer',
      options: { autoRollback: false, faults: [], rolloutAfter: { at: 1, text: 'later' } },
      sets: [{ ...whole, isDeleting: true }],
    },
    steps: [{ action: 'createSet', name: 'newer', replicas: 2 }],
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
    name: 'a number of replicas that no set could take is noted by none',
    facts: {
      isPaused: true,
      maxSurge: 1,
      sets: [
        aSet({ machines: many('A', 6), going: 4, desired: 6, hasFreshScaling: false }),
        theNewSet({ machines: 'A', desired: 6, hasFreshScaling: false }),
      ],
    },
    steps: [],
  },
  {
    name: 'it is taken as soon as there is room, and noted then',
    facts: {
      isPaused: true,
      maxSurge: 1,
      sets: [
        aSet({ machines: many('A', 6), desired: 6, hasFreshScaling: false }),
        theNewSet({ machines: 'A', desired: 6, hasFreshScaling: false }),
      ],
    },
    steps: [
      { action: 'scaleSet', name: 'new', from: 1, replicas: 5 },
      { action: 'scaleSet', name: 'old', from: 6, replicas: 6 },
    ],
  },
  {
    name: 'a paused deployment without machines and without a set of its template scales the newest old one',
    facts: { isPaused: true, replicas: 5, sets: [aSet(), aSet({ name: 'older', revision: 0 })] },
    steps: [{ action: 'scaleSet', name: 'old', replicas: 5 }],
  },
  {
    name: 'a write holds for the set that was seen',
    facts: { sets: [theNewSet({ machines: 'A', resourceVersion: '17' })] },
    steps: [{ action: 'scaleSet', resourceVersion: '17', from: 1, replicas: 10 }],
  },
  {
    name: 'machines are preferred and replacements granted before sizes change',
    facts: {
      marks: { preferred: ['m'], machines: [{ name: 'm', time: 't' }], was: 'm~t', list: 'm~t' },
      grants: [{ set: 'new', machines: ['m'] }],
      sets: [theNewSet({ machines: 'A' })],
    },
    steps: [
      { action: 'markMachines', preferred: ['m'], machines: [] },
      { action: 'grantReplacements', set: 'new', machines: ['m'] },
      { action: 'scaleSet' },
    ],
  },
  {
    name: 'marks wait until a set has seen its size',
    facts: {
      marks: { preferred: [], machines: [{ name: 'm', time: 't' }], was: 'm~t', list: 'm~t' },
      sets: [theNewSet({ machines: many('A', 10), isObserved: false })],
    },
    steps: [],
  },
  {
    name: 'marks are written when the sets have their sizes',
    facts: {
      marks: { preferred: [], machines: [{ name: 'm', time: 't' }], was: 'm~t', list: 'm~t' },
      sets: [theNewSet({ machines: many('A', 10) })],
    },
    steps: [{ action: 'markMachines', preferred: [], machines: [{ name: 'm', time: 't' }] }],
  },
  {
    name: 'what the autoscaler says of the size goes to the set of the template with that size',
    facts: {
      scaledAt: 't',
      replicas: 2,
      sets: [theNewSet({ machines: 'AAA', hasFreshScaling: false })],
    },
    steps: [{ action: 'scaleSet', name: 'new', from: 3, replicas: 2, scaledAt: 't' }],
  },
  {
    name: 'OnDelete closes old sets',
    facts: { strategy: 'OnDelete', sets: [aSet({ machines: many('A', 10) }), theNewSet()] },
    steps: [{ action: 'closeSet', name: 'old', isClosed: true }],
  },
  {
    name: 'a set that is being deleted takes only the room of the machines that it has',
    facts: {
      maxSurge: 1,
      sets: [
        aSet({ replicas: 7, going: 1, isDeleting: true }),
        theNewSet({ machines: many('A', 3) }),
      ],
    },
    steps: [{ action: 'scaleSet', name: 'new', from: 3, replicas: 10 }],
  },
  {
    name: 'OnDelete closes no old set while paused, and scales it',
    facts: {
      strategy: 'OnDelete',
      isPaused: true,
      replicas: 12,
      sets: [aSet({ machines: many('A', 10) }), theNewSet()],
    },
    steps: [{ action: 'scaleSet', name: 'old', replicas: 12 }],
  },
  {
    name: 'an old set that is still closed is opened before it is scaled when OnDelete is no more',
    facts: {
      isPaused: true,
      replicas: 12,
      sets: [aSet({ machines: many('A', 10), isClosed: true })],
    },
    steps: [{ action: 'closeSet', name: 'old', isClosed: false }],
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
])('the next steps for the sets of a rollout: $name', ({ facts, steps }) => {
  const plan = planMachineDeployment(someFacts(facts), 0);
  expect(plan.steps).toHaveLength(steps.length);
  expect(plan.steps).toMatchObject(steps);
});
