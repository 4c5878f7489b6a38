import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import {
  giveChosen,
  isScalingEvent,
  scaleHeld,
  shrinkInProportion,
} from '../../../../../workflows/plan/machine-deployment/rollout/scaling.ts';
import { planOnDelete } from '../../../../../workflows/plan/machine-deployment/rollout/on-delete.ts';
import { planRollingUpdate } from '../../../../../workflows/plan/machine-deployment/rollout/rolling-update.ts';
import type { Sizing } from '../../../../../workflows/plan/machine-deployment/rollout/sizing.ts';
import { aSet, many, rolloutOf, someFacts, theNewSet } from './deployment-facts.ts';

interface Case {
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
  sizes: Record<string, number>;
}

function sizesOf(sizings: readonly Sizing[]): Record<string, number> {
  return Object.fromEntries(sizings.map(({ set, replicas }) => [set.name, replicas]));
}

test.each<{ name: string; sets: SetFacts[]; is: boolean }>([
  {
    name: 'a set that was scaled for another number',
    sets: [aSet({ machines: 'A', desired: 9 })],
    is: true,
  },
  { name: 'an empty set', sets: [aSet({ desired: 9 })], is: false },
  {
    name: 'a set that was never scaled by a deployment',
    sets: [aSet({ machines: 'A' })],
    is: false,
  },
])('$name is a scaling: $is', ({ sets, is }) => {
  expect(isScalingEvent(someFacts({ sets }))).toBe(is);
});

const old = (count: number, changes: Partial<SetFacts> = {}): SetFacts =>
  aSet({ machines: many('A', count), desired: 10, max: 12, ...changes });
const fresh = (count: number, changes: Partial<SetFacts> = {}): SetFacts =>
  theNewSet({ machines: many('A', count), desired: 10, max: 12, ...changes });

describe('fewer are wanted in the middle of a rollout', () => {
  test.each<Case>([
    {
      name: 'sets without a note of the most that there could be share what there is',
      facts: { replicas: 4, maxSurge: 0 },
      sets: [aSet({ machines: 'AAAA' }), theNewSet({ machines: 'AAAA' })],
      sizes: { old: 2, new: 2 },
    },
  ])('$name', ({ facts, sets, sizes }) => {
    expect(sizesOf(shrinkInProportion(rolloutOf(someFacts({ ...facts, sets }))))).toEqual(sizes);
  });
});

describe('machines that a cluster autoscaler chose, when the number was lowered', () => {
  test.each<Case>([
    {
      name: 'none when the number did not fall',
      sets: [old(9), fresh(2, { chosen: [5] })],
      sizes: {},
    },
  ])('$name', ({ facts, sets, sizes }) => {
    expect(sizesOf(giveChosen(rolloutOf(someFacts({ ...facts, sets }))))).toEqual(sizes);
  });

  test('go before the shares, whether the rollout is under way or stands still, and with OnDelete', () => {
    const sets = [old(9), fresh(2, { chosen: [5] })];
    const facts = someFacts({ replicas: 8, maxSurge: 0, sets });
    const rollout = rolloutOf(facts);
    const plans = [
      planRollingUpdate(rollout).sizes,
      scaleHeld(rollout, rollout.target, 0),
      planOnDelete(rollout).sizes,
    ];
    expect(plans.map(sizesOf)).toEqual([{ new: 1 }, { new: 1 }, { new: 1 }]);
  });
});

describe('while the rollout stands still', () => {
  test.each<Case & { surge?: number }>([
    {
      name: 'of two sets the new one takes what is missing, without the surge when nobody scaled',
      sets: [old(8), fresh(1)],
      sizes: { new: 2 },
    },
    {
      name: 'what a share cannot give without a machine that is needed, the other set gives',
      facts: { maxSurge: 1 },
      sets: [old(10, { desired: 20, max: 21 }), fresh(10, { machines: many('U', 10), max: 21 })],
      sizes: { new: 1 },
    },
    {
      name: 'nobody grows while a set works on its size',
      facts: { replicas: 14 },
      sets: [old(8, { isObserved: false }), fresh(4)],
      surge: 2,
      sizes: {},
    },
  ])('$name', ({ facts, sets, surge = 2, sizes }) => {
    const rollout = rolloutOf(someFacts({ ...facts, sets }), aSet({ uid: '' }));
    expect(sizesOf(scaleHeld(rollout, rollout.target, surge))).toEqual(sizes);
  });
});
