/** What the transcripts do not tell: states between two steps, and the order of steps. */
import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type {
  DeploymentPlan,
  NodeStep,
} from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import { aSet, someFacts, theNewSet, updates } from './deployment-facts.ts';

/** 3 replicas, of which one may be missing. */
const inPlace = {
  strategy: 'InPlaceUpdate',
  replicas: 3,
  maxSurge: 0,
  maxUnavailable: 1,
  hasNodes: true,
} as const;

const planOf = (facts: Partial<DeploymentFacts>): DeploymentPlan =>
  planMachineDeployment(someFacts({ ...inPlace, ...facts }), 0);

type Where = Parameters<typeof updates>[0];

const old = (where: Where = {}, of: Partial<SetFacts> = {}): SetFacts =>
  aSet({ machines: 'AA', isClosed: true, isTainted: true, inPlace: updates(where), ...of });

const young = (where: Where = {}, of: Partial<SetFacts> = {}): SetFacts =>
  theNewSet({ machines: 'A', inPlace: updates(where), ...of });

const going = { updated: ['u'], unmarked: ['n'], ready: ['r'] };
const paused = { isPaused: true };

test.each<{
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
  step: Partial<NodeStep> | undefined;
}>([
  {
    name: 'machines that have arrived are tidied first',
    sets: [old(going), young({ arrived: ['a'], marked: ['m'] })],
    step: { action: 'tidyUpdated', machines: ['a'], reason: 'updated: a' },
  },
  {
    name: 'also in a set that is an old one by now',
    sets: [old({ ...going, arrived: ['o'] }), young({ arrived: ['a'] })],
    step: { action: 'tidyUpdated', machines: ['o', 'a'] },
  },
  {
    name: 'not before the size of their set counts them',
    sets: [old(going), young({ arrived: ['a'] }, { machines: 'AA', replicas: 1 })],
    step: { action: 'moveMachines' },
  },
  {
    name: 'nor before the set has seen its size',
    sets: [old(going), young({ arrived: ['a'] }, { isObserved: false })],
    step: { action: 'moveMachines' },
  },
  {
    name: 'without a size that counts them, they are too many',
    facts: { replicas: 1 },
    sets: [old({}, { machines: '' }), young({ arrived: ['a'] }, { machines: 'AA', replicas: 1 })],
    step: { action: 'tidyUpdated' },
  },
  {
    name: 'then updated ones move',
    sets: [old(going), young({ marked: ['m'] })],
    step: { action: 'moveMachines', machines: ['u'], to: 'new', reason: 'to MachineSet new: u' },
  },
  {
    name: 'but out of no set that would make others for them',
    sets: [old(going, { isClosed: false }), young({ marked: ['m'] })],
    step: { action: 'unmarkNodes' },
  },
  {
    name: 'and no more than there may be',
    sets: [old({ updated: ['u', 'v', 'w'] }, { machines: 'AAA' }), young({}, { machines: 'AA' })],
    step: { action: 'moveMachines', machines: ['u'] },
  },
  {
    name: 'then Nodes that are wanted as they are lose their marks',
    sets: [old({ unmarked: ['n'] }), young({ marked: ['m'] }, { isTainted: true })],
    step: { action: 'unmarkNodes', machines: ['m'], reason: 'MachineSet new is wanted again: m' },
  },
  {
    name: 'new pods avoid a Node before it is a candidate',
    sets: [old({ unmarked: ['n'] }, { isTainted: false }), young()],
    step: { action: 'taintNodes', set: 'old' },
  },
  {
    name: 'then it is one',
    sets: [old({ unmarked: ['n'], ready: ['r'] }), young()],
    step: {
      action: 'markCandidates',
      machines: ['n'],
      reason: 'to be updated to MachineSet new: n',
    },
  },
  {
    name: 'then some are selected',
    facts: { unprotectedNodes: ['x'] },
    sets: [old({ ready: ['r', 's'] }), young()],
    step: {
      action: 'selectForUpdate',
      machines: ['r'],
      most: 1,
      reason: 'next to be updated: r',
    },
  },
  {
    name: 'then all are kept from the autoscaler',
    facts: { unprotectedNodes: ['x'] },
    sets: [old({ selected: ['r'] }), young()],
    step: { action: 'protectNodes' },
  },
  {
    name: 'a hundred at a time',
    facts: { replicas: 200 },
    sets: [
      old({ unmarked: Array(99).fill('a') }),
      old({ unmarked: Array(99).fill('b') }, { name: 'older' }),
      young(),
    ],
    step: {
      action: 'markCandidates',
      machines: [...Array(99).fill('a'), 'b'],
      reason: 'to be updated to MachineSet new: a, a, a and 97 more',
    },
  },
  {
    name: 'people select',
    facts: { isManual: true },
    sets: [old({ ready: ['r'] }), young()],
    step: undefined,
  },
  {
    name: 'DisruptionPolicies bound what is selected',
    facts: { gate: {} },
    sets: [old({ ready: ['r'] }), young()],
    step: { action: 'selectForUpdate', disrupts: true },
  },
  {
    name: 'going back is urgent',
    facts: { gate: {}, finishedSet: 'new' },
    sets: [old({ ready: ['r'] }), young()],
    step: { action: 'selectForUpdate', disrupts: true, isUrgent: true },
  },
  {
    name: 'what is updated goes on while the rollout is held',
    facts: paused,
    sets: [old(going), young()],
    step: { action: 'moveMachines' },
  },
  {
    name: 'and nothing else begins',
    facts: paused,
    sets: [old({ unmarked: ['n'], ready: ['r'] }, { isTainted: false }), young()],
    step: undefined,
  },
  {
    name: 'there is nothing to move to before there is a set',
    facts: { ...paused },
    sets: [old(going)],
    step: undefined,
  },
])('on Nodes: $name', ({ facts, sets, step }) => {
  const { nodeStep } = planOf({ ...facts, sets });
  // Objects, as a step may be none.
  expect({ nodeStep }).toMatchObject({ nodeStep: step });
});

test('without a gate a selection says nothing of one', () => {
  const { nodeStep } = planOf({ sets: [old({ ready: ['r'] }), young()] });
  expect(Object.keys(nodeStep ?? {})).toEqual(['action', 'machines', 'most', 'reason']);
});

test.each<{
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
  /** Sizes; -1: closed, -2: opened. */
  steps: Record<string, number>;
}>([
  {
    name: 'an old set is closed when there is a new one',
    sets: [old({}, { isClosed: false }), young()],
    steps: { old: -1 },
  },
  {
    name: 'no set is closed before',
    sets: [old({}, { isClosed: false, machines: 'AAA' })],
    steps: { new: 0 },
  },
  {
    name: 'a set that is wanted again is opened, and no other',
    sets: [old(), young({}, { isClosed: true })],
    steps: { new: -2 },
  },
  {
    name: 'sizes follow machines that moved',
    sets: [old({}, { replicas: 3 }), young({ arrived: ['a'] }, { replicas: 0 })],
    steps: { old: 2, new: 1 },
  },
  {
    name: 'also into a set that is an old one by now, which stays closed',
    sets: [old({ arrived: ['a'] }, { replicas: 1 }), young()],
    steps: { old: 2 },
  },
  {
    name: 'but not while a set works on an earlier size',
    sets: [
      old({}, { replicas: 3, isObserved: false }),
      young({ arrived: ['a'] }, { replicas: 0, isObserved: false }),
    ],
    steps: {},
  },
  {
    name: 'a new set takes no machine that is too many',
    facts: { replicas: 2 },
    sets: [old({}, { machines: 'A' }), young({ arrived: ['a'] }, { machines: 'AA', replicas: 1 })],
    steps: { new: 2 },
  },
  {
    name: 'machines on which no agent works go first',
    facts: { replicas: 2 },
    sets: [old({ selected: ['a', 'b'] }), old({}, { name: 'older', machines: 'A' }), young()],
    steps: { older: 0, old: 1 },
  },
  {
    name: 'a machine that is about to be drained spares no other',
    facts: { maxSurge: 1, maxUnavailable: 0, replicas: 2 },
    sets: [old({ selected: ['a'], selectedAvailable: 1 }), young({}, { machines: 'AU' })],
    steps: {},
  },
  {
    name: 'there is no surge for those that are updated now',
    facts: { maxSurge: 2 },
    sets: [old({ selected: ['a'], updated: ['b'] }), young()],
    steps: {},
  },
  {
    name: 'a rollout goes on with a surge where nothing may be missing',
    facts: { maxSurge: 2, maxUnavailable: 0 },
    sets: [old({}, { machines: 'AAA' }), young({}, { machines: '' })],
    steps: { new: 2 },
  },
  {
    name: 'nothing is made for machines that their set has yet to delete',
    sets: [old({}, { replicas: 0, machines: 'AAA' }), young({}, { machines: '' })],
    steps: {},
  },
  {
    name: 'a canary leaves what is missing to old sets, which are opened for it',
    facts: { options: { autoRollback: false, faults: [], canary: 1 }, replicas: 4 },
    sets: [old(), young()],
    steps: { old: -2 },
  },
  {
    name: 'and stay so until it is made',
    facts: { options: { autoRollback: false, faults: [], canary: 1 }, replicas: 4 },
    sets: [old({}, { isClosed: false, replicas: 3 }), young()],
    steps: {},
  },
  {
    name: 'while it is held, only sets out of which machines move are closed',
    facts: paused,
    sets: [
      old({ updated: ['u'] }, { isClosed: false, machines: 'A' }),
      old({}, { name: 'older', isClosed: false, machines: 'A' }),
      young(),
    ],
    steps: { old: -1 },
  },
])('sizes: $name', ({ facts, sets, steps }) => {
  const found = planOf({ ...facts, sets }).steps.flatMap((step): [string, number][] => {
    if (step.action === 'closeSet') return [[step.name, step.isClosed ? -1 : -2]];
    const isSize = step.action === 'scaleSet' || step.action === 'createSet';
    return isSize ? [[step.name, step.replicas]] : [];
  });
  expect(Object.fromEntries(found)).toEqual(steps);
});

const replaces: Partial<DeploymentFacts> = {
  options: { autoRollback: false, faults: [], inPlaceFailure: 'replace' },
};
const failed = { selected: ['f'], failed: [{ name: 'f', why: 'no space left' }] };

test.each<{
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
  shown: Partial<DeploymentPlan>;
}>([
  {
    name: 'a failed update stands in the way of others until a person helps',
    sets: [old({ ...failed, ready: ['r'] }), young()],
    shown: {
      state: 'Blocked',
      blockedBy: 'Machine/f',
      needsPerson: true,
      reason: 'The update in place of f failed: no space left',
      next: 'repair its Node and say millwright retry-update machine/f, or millwright give-up-update machine/f',
    },
  },
  {
    name: 'or its health timeout is over, where it is to be replaced',
    facts: replaces,
    sets: [old({ ...failed, ready: ['r'] }), young()],
    shown: {
      state: 'Blocked',
      blockedBy: 'Machine/f',
      next: expect.stringMatching(/^after its health timeout it is replaced; or repair/),
    },
  },
  {
    name: 'it does not while another is updated',
    facts: { maxUnavailable: 2 },
    sets: [old({ ...failed, selected: ['f', 'g'] }), young()],
    shown: { state: 'Progressing', reason: 'waits for the update of g; failed: f' },
  },
  {
    name: 'nor while a machine comes',
    sets: [old(failed), young({}, { machines: 'U' })],
    shown: { state: 'Progressing' },
  },
  {
    name: 'nor where the Nodes are not known',
    facts: { selectionUnknown: 'no answer' },
    sets: [old(failed), young()],
    shown: { state: 'Progressing' },
  },
  {
    name: 'it does in a set that is wanted again',
    sets: [young(failed, { machines: 'UAA' })],
    shown: { state: 'Blocked', blockedBy: 'Machine/f' },
  },
  {
    name: 'a DisruptionPolicy is not what a failed one waits for',
    facts: { maxUnavailable: 2, gate: { machines: { count: 0, policy: 'p', why: 'f' } } },
    sets: [old({ ...failed, ready: ['r'] }), young()],
    shown: { state: 'Blocked', blockedBy: 'Machine/f' },
  },
  {
    name: 'a DisruptionPolicy is what the others wait for',
    facts: { gate: { machines: { count: 0, policy: 'p', why: 'x goes' } } },
    sets: [old({ ready: ['r'] }), young()],
    shown: { state: 'Paused', blockedBy: 'DisruptionPolicy/p' },
  },
  {
    name: 'nothing is said of people while one is updated',
    facts: { isManual: true },
    sets: [old({ selected: ['s'], ready: ['r'] }), young()],
    shown: { state: 'Progressing', reason: 'waits for the update of s' },
  },
  {
    name: 'people hear of failed ones beside which others may be selected',
    facts: { isManual: true, maxUnavailable: 2 },
    sets: [old({ ...failed, ready: ['r'] }, { machines: 'UA' }), young()],
    shown: { state: 'Paused', reason: 'Manual: 2 machines of old sets left, failed: f' },
  },
  {
    name: 'what keeps old machines from being selected is said',
    sets: [old(), young()],
    shown: {
      state: 'Progressing',
      reason: '2 machines of old sets not joined, or kept for inspection',
    },
  },
  {
    name: 'what keeps the Nodes from being known is said',
    facts: { selectionUnknown: 'no answer' },
    sets: [old({ ready: ['r'] }), young()],
    shown: { reason: 'it is not known which Nodes are selected: no answer' },
  },
  {
    name: 'it is over when the last machine is tidied',
    facts: { progress: { reason: '', isOverdue: false, isComplete: true } },
    sets: [young({ arrived: ['a'] }, { machines: 'AAA' })],
    shown: { state: 'Progressing', reason: 'updated: a' },
  },
])('state: $name', ({ facts, sets, shown }) => {
  expect(planOf({ ...facts, sets })).toMatchObject(shown);
});

test('Nodes on which agents work stay kept from the autoscaler, however long it is held', () => {
  const held = { options: { autoRollback: false, faults: ['x'] }, hasProtectedNodes: true };
  const steps = [{ selected: ['s'] }, {}].map((where) => {
    const facts = someFacts({ ...inPlace, ...held, sets: [old(where), young()] });
    return planMachineDeployment(facts, 120_000, { heldSince: 0 }).nodeStep?.action;
  });
  expect(steps).toEqual([undefined, 'releaseNodes']);
});
