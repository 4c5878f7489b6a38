import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { SelectionTerms } from '../../../../../workflows/plan/machine-deployment/rollout/in-place-selection.ts';
import { selectionOf } from '../../../../../workflows/plan/machine-deployment/rollout/in-place-selection.ts';
import { selectionFor } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import { aSet, many, rolloutOf, someFacts, theNewSet, updates } from './deployment-facts.ts';

/** 4 replicas, of which one may be missing: all are old, and candidates. */
const inPlace = { strategy: 'InPlaceUpdate', replicas: 4, maxSurge: 0, maxUnavailable: 1 } as const;
const names = ['a', 'b', 'c', 'd'];
const old = (changes: Parameters<typeof updates>[0] = {}, of: Partial<SetFacts> = {}): SetFacts =>
  aSet({ machines: 'AAAA', isClosed: true, inPlace: updates(changes), ...of });

interface Case {
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
  terms?: SelectionTerms;
  machines: string[];
  most?: number;
  obstacle?: string;
}

test.each<Case>([
  {
    name: 'as many as may be missing',
    sets: [old({ ready: names }), theNewSet()],
    machines: ['a'],
    most: 1,
    obstacle: '1 may be missing of 4 machines',
  },
  {
    name: 'all of them: nothing more is asked for',
    facts: { maxUnavailable: 4 },
    sets: [old({ ready: names }), theNewSet()],
    machines: names,
    most: 4,
  },
  {
    name: 'those that do not work, of all sets, before any that does',
    facts: { maxUnavailable: 2 },
    sets: [
      old({ ready: ['a'] }, { name: 'older', machines: 'A' }),
      old({ faulty: ['b'], ready: ['c', 'd'] }, { machines: 'UAA' }),
      theNewSet(),
    ],
    machines: ['b', 'a'],
    obstacle: '2 may be missing of 4 machines',
  },
  {
    name: 'those that do not work, though no other may be missing',
    sets: [old({ faulty: ['a'], ready: ['b'] }, { machines: 'UAAA' }), theNewSet()],
    machines: ['a'],
    obstacle: '1 may be missing of 4 machines',
  },
  {
    name: 'none while one is selected, which still works',
    sets: [old({ selected: ['a'], selectedAvailable: 1, ready: ['b'] }), theNewSet()],
    machines: [],
    most: 1,
    obstacle: '1 may be missing of 4 machines, 1 machine being updated',
  },
  {
    name: 'none while one is updated and has yet to move',
    sets: [old({ updated: ['a'], ready: ['b'] }), theNewSet()],
    machines: [],
    most: 0,
    obstacle: '1 may be missing of 4 machines, 1 machine being updated',
  },
  {
    name: 'none that works beside one that is about to be drained',
    facts: { maxUnavailable: 2 },
    sets: [
      old({ selected: ['a'], selectedAvailable: 1, ready: ['b', 'c'] }, { machines: 'UAAA' }),
      theNewSet(),
    ],
    machines: [],
    most: 1,
    obstacle: '2 machines available, 2 needed',
  },
  {
    name: 'none while a new machine comes',
    sets: [old({ ready: ['a'] }, { machines: 'AAA' }), theNewSet({ machines: 'U' })],
    machines: [],
    obstacle: '1 may be missing of 4 machines, 1 of MachineSet new not available',
  },
  {
    name: 'none while one of the wanted set is about to be drained',
    sets: [
      old({ ready: ['a'] }, { machines: 'AA' }),
      theNewSet({
        machines: 'AA',
        inPlace: updates({ selected: ['x'], selectedAvailable: 1 }),
      }),
    ],
    machines: [],
    most: 1,
    obstacle: '1 may be missing of 4 machines, 1 of MachineSet new not available',
  },
  {
    name: 'no more than the new set may have',
    facts: { maxSurge: 2 },
    sets: [old({ ready: names }), theNewSet({ machines: 'AAA', replicas: 3 })],
    machines: ['a'],
    obstacle: 'MachineSet new has, or will have, all 4 machines',
  },
  {
    name: 'no more than a canary lets',
    facts: { maxUnavailable: 3 },
    sets: [old({ ready: names, selected: ['x'] }), theNewSet()],
    terms: { limit: 2 },
    machines: ['a'],
    most: 2,
    obstacle: 'the canary lets MachineSet new have 2 machines for now',
  },
  {
    name: 'no more than a DisruptionPolicy lets',
    facts: { maxUnavailable: 3, gate: { machines: { count: 1, policy: 'db', why: '1 of 2' } } },
    sets: [old({ ready: names }), theNewSet()],
    machines: ['a'],
    obstacle: 'DisruptionPolicy db: 1 of 2',
  },
  {
    name: 'a hundred at a time',
    facts: { replicas: 200, maxUnavailable: 200 },
    sets: [
      ...['one', 'two'].map((name) =>
        old({ ready: Array(90).fill(name) }, { name, machines: many('A', 90) }),
      ),
      theNewSet({ machines: many('A', 20) }),
    ],
    machines: [...Array(90).fill('one'), ...Array(10).fill('two')],
    obstacle: 'MachineSet new has, or will have, all 200 machines',
  },
  {
    name: 'the one that a person names',
    sets: [old({ ready: names }), theNewSet()],
    terms: { named: ['c'] },
    machines: ['c'],
  },
  {
    name: 'none that is no candidate',
    sets: [old({ ready: names }), theNewSet()],
    terms: { named: ['x'] },
    machines: [],
    obstacle: 'x: no candidate for an update in place',
  },
  {
    name: 'none while something holds the rollout',
    sets: [old({ ready: names }), theNewSet()],
    terms: { hold: 'Deployment is paused' },
    machines: [],
    obstacle: 'Deployment is paused',
  },
  {
    name: 'none before there is a set of the template',
    sets: [old({ ready: names })],
    machines: [],
    obstacle: 'the template has no set yet',
  },
  {
    name: 'none while it is not known which are selected',
    facts: { selectionUnknown: 'no answer' },
    sets: [old({ ready: names }), theNewSet()],
    machines: [],
    obstacle: 'it is not known which Nodes are selected: no answer',
  },
  {
    name: 'none where nothing is known of the Nodes',
    sets: [aSet({ machines: 'AAAA' }), theNewSet()],
    machines: [],
    obstacle: 'it is not known which Nodes are candidates',
  },
  {
    name: 'none while a set works on its size',
    sets: [old({ ready: names }, { isObserved: false }), theNewSet()],
    machines: [],
    obstacle: 'MachineSet old still works on its size',
  },
])('selects $name', ({ facts, sets, terms, machines, most, obstacle }) => {
  const blank = theNewSet({ uid: '' });
  const rollout = rolloutOf(someFacts({ ...inPlace, ...facts, sets }), blank);
  const selection = selectionOf(rollout, terms);
  expect(selection).toMatchObject({ machines, most: most ?? machines.length });
  expect(selection.obstacle).toBe(obstacle);
});

test.each<{ name: string; facts: Partial<DeploymentFacts>; obstacle: string }>([
  { name: 'paused', facts: { isPaused: true }, obstacle: 'Deployment is paused' },
  {
    name: 'of another strategy',
    facts: { strategy: 'RollingUpdate' },
    obstacle: 'strategy RollingUpdate',
  },
  {
    name: 'under a closed DisruptionPolicy',
    facts: { gate: { closed: { policy: 'db', kind: 'time', why: 'at night' } } },
    obstacle: 'DisruptionPolicy db: at night',
  },
  {
    name: 'whose sets do not have their sizes',
    facts: { replicas: 5 },
    obstacle: 'the sets are given their sizes first',
  },
])('a person selects none of a deployment $name', ({ facts, obstacle }) => {
  const sets = [old({ ready: names }), theNewSet()];
  const known = someFacts({ ...inPlace, isManual: true, sets, ...facts });
  expect(selectionFor(known, 0, ['a'])).toMatchObject({ machines: [], obstacle });
});

test('a person may select as many as the plan would', () => {
  const known = someFacts({
    ...inPlace,
    isManual: true,
    sets: [old({ ready: names }), theNewSet()],
  });
  expect(selectionFor(known, 0, ['b', 'c'])).toMatchObject({ machines: ['b'], most: 1 });
});
