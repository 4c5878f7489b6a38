/**
 * The situations of MCM's own specs (v0.62.1, `deployment_inplace_test.go`): 3 replicas, no surge,
 * one may be unavailable. What comes out is what MCM expects of them.
 */
import { planInPlace } from '../../../../../workflows/plan/machine-deployment/rollout/in-place.ts';
import { aSet, many, rolloutOf, someFacts, theNewSet, updates } from './deployment-facts.ts';

interface Situation {
  name: string;
  old: {
    replicas: number;
    /** Default as many as `replicas`; all are available. */
    machines?: number;
    candidates?: number;
    /** Of the candidates. */
    selected?: number;
    updated?: number;
  };
  new: {
    replicas: number;
    /** Default as many as `replicas`. */
    machines?: number;
    /** Default all. */
    available?: number;
    /** With the label `update-result`. */
    arrived?: number;
  };
  /** Sizes and the step that MCM comes to; what is not named stays. */
  expected: { old?: number; new?: number; selected?: number; moved?: number };
}

const names = (start: string, count: number): string[] =>
  Array.from({ length: count }, (_item, index) => `${start}-${index}`);

function outcomeOf({ old, new: young }: Situation): object {
  const { candidates = 0, selected = 0, updated = 0, machines = old.replicas } = old;
  const { available = young.machines ?? young.replicas } = young;
  const oldSet = aSet({
    replicas: old.replicas,
    machines: many('A', machines),
    reported: machines,
    isClosed: true,
    inPlace: updates({
      ready: names('candidate', candidates - selected),
      selected: names('selected', selected),
      selectedAvailable: selected,
      updated: names('updated', updated),
    }),
  });
  const newSet = theNewSet({
    replicas: young.replicas,
    machines: many('U', (young.machines ?? young.replicas) - available) + many('A', available),
    reported: young.machines ?? young.replicas,
    inPlace: updates({ arrived: names('arrived', young.arrived ?? 0) }),
  });
  const facts = someFacts({
    strategy: 'InPlaceUpdate',
    replicas: 3,
    maxSurge: 0,
    maxUnavailable: 1,
    sets: [newSet, oldSet],
  });
  const { sizes, inPlaceStep: step } = planInPlace(rolloutOf(facts));
  const sizeOf = (set: string): number | undefined =>
    sizes.find((size) => size.set.name === set)?.replicas;
  return {
    old: sizeOf('old'),
    new: sizeOf('new'),
    selected: step?.action === 'selectForUpdate' ? step.machines.length : undefined,
    moved: step?.action === 'moveMachines' ? step.machines.length : undefined,
  };
}

test.each<Situation>([
  {
    name: 'a machine that has moved is counted by the new set',
    old: { replicas: 2 },
    new: { replicas: 2, machines: 3, arrived: 1 },
    expected: { new: 3 },
  },
  {
    name: 'a set that has fewer machines than its size shrinks',
    old: { replicas: 2, machines: 1 },
    new: { replicas: 3 },
    expected: { old: 1 },
  },
  {
    name: 'a new set that is too large shrinks',
    old: { replicas: 0 },
    new: { replicas: 4 },
    expected: { new: 3 },
  },
  {
    name: 'an updated machine moves',
    old: { replicas: 2, updated: 1 },
    new: { replicas: 1 },
    expected: { moved: 1 },
  },
  {
    name: 'without old machines the new set makes them',
    old: { replicas: 0 },
    new: { replicas: 1 },
    expected: { new: 3 },
  },
  {
    name: 'what is missing the new set makes',
    old: { replicas: 1 },
    new: { replicas: 1 },
    expected: { new: 2 },
  },
  {
    name: 'nothing is selected without candidates',
    old: { replicas: 2 },
    new: { replicas: 1 },
    expected: {},
  },
  {
    name: 'nothing is selected while a new machine is not available',
    old: { replicas: 2, candidates: 1 },
    new: { replicas: 1, available: 0 },
    expected: {},
  },
  {
    name: 'nothing is selected while another is updated',
    old: { replicas: 2, candidates: 1, selected: 1 },
    new: { replicas: 1 },
    expected: {},
  },
  {
    name: 'one of two candidates is selected',
    old: { replicas: 2, candidates: 2 },
    new: { replicas: 1 },
    expected: { selected: 1 },
  },
  {
    name: 'old machines go when the new set has all',
    old: { replicas: 2, candidates: 2 },
    new: { replicas: 3 },
    expected: { old: 0 },
  },
  {
    name: 'nothing is left to do',
    old: { replicas: 0 },
    new: { replicas: 3 },
    expected: {},
  },
])('$name, as in MCM', (situation) => {
  expect(outcomeOf(situation)).toEqual({
    old: undefined,
    new: undefined,
    selected: undefined,
    moved: undefined,
    ...situation.expected,
  });
});
