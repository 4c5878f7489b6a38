import type {
  DrainFacts,
  DrainPod,
  Refusal,
  Removal,
} from '../../../../workflows/plan/drain/removals.ts';
import {
  evictRetriesWithin,
  isLate,
  nextTryOf,
  planRemovals,
} from '../../../../workflows/plan/drain/removals.ts';
import type { Budget } from '../../../../workflows/plan/drain/budgets.ts';
import { budgetsOf, isMisconfigured } from '../../../../workflows/plan/drain/budgets.ts';
import { blockersOf } from '../../../../workflows/plan/drain/report.ts';

const now = 1_000_000;

function aDrainPod(name: string, changes: Partial<DrainPod> = {}): DrainPod {
  return {
    uid: `uid-of-${name}`,
    namespace: 'default',
    name,
    labels: { app: 'web' },
    priority: 0,
    claims: [],
    graceSeconds: 30,
    isMirror: false,
    isOfDaemonSet: false,
    isReady: true,
    ...changes,
  };
}

const withVolume = (name: string, changes: Partial<DrainPod> = {}): DrainPod =>
  aDrainPod(name, { claims: [name], ...changes });

const refused = (changes: Partial<Refusal> = {}): Refusal => ({
  since: now,
  nextTryAt: now,
  why: 'no',
  blockedBy: 'PodDisruptionBudget/default/web',
  isHopeless: false,
  ...changes,
});

const inWords = ({ pod, by, alike }: Removal): string => {
  const others = alike.length === 0 ? '' : ` (and ${alike.map(({ name }) => name).join()})`;
  return `${pod.name}: ${by}${others}`;
};

function plan(changes: Partial<DrainFacts>): { parallel: string[]; serial: string[] } {
  const { parallel, serial } = planRemovals({
    pods: [],
    refusals: {},
    isVolumeAwaited: false,
    patienceMilliseconds: 120_000,
    evictionMilliseconds: 60_000,
    now,
    ...changes,
  });
  return { parallel: parallel.map(inWords), serial: serial.map(inWords) };
}

test.each<{
  name: string;
  facts: Partial<DrainFacts>;
  parallel?: string[];
  serial?: string[];
}>([
  {
    name: 'pods without volumes go at once, those with volumes by priority, then name',
    facts: {
      pods: [
        withVolume('b'),
        withVolume('a'),
        withVolume('first', { priority: 9 }),
        withVolume('last', { priority: -1 }),
        aDrainPod('x'),
        aDrainPod('y'),
      ],
    },
    parallel: ['x: eviction', 'y: eviction'],
    serial: ['first: eviction', 'a: eviction', 'b: eviction', 'last: eviction'],
  },
  {
    name: 'a pod that goes is left alone, and holds up others with volumes',
    facts: { pods: [withVolume('a', { goneBy: now + 1 }), withVolume('b'), aDrainPod('x')] },
    parallel: ['x: eviction'],
  },
  {
    name: 'a pod that never goes holds them up for a time only',
    facts: { pods: [withVolume('a', { goneBy: now - 120_000 }), withVolume('b')] },
    serial: ['b: eviction'],
  },
  {
    name: 'volumes on their way hold them up',
    facts: { pods: [withVolume('b'), aDrainPod('x')], isVolumeAwaited: true },
    parallel: ['x: eviction'],
  },

  {
    name: 'a pod that was refused for long enough is deleted',
    facts: { pods: [aDrainPod('x')], refusals: { 'uid-of-x': refused({ since: now - 60_000 }) } },
    parallel: ['x: deletion'],
  },
  {
    name: 'of pods that a budget refused alike one is asked for all, also for those whose time has not come',
    facts: {
      pods: ['a', 'b', 'c', 'd'].map((name) => aDrainPod(name, { isReady: name !== 'd' })),
      refusals: {
        'uid-of-a': refused({ isOfBudget: true, nextTryAt: now + 1 }),
        'uid-of-b': refused({ isOfBudget: true }),
        'uid-of-c': refused({ isOfBudget: true, why: 'two budgets' }),
        'uid-of-d': refused({ isOfBudget: true }),
      },
    },
    parallel: ['b: eviction (and a)', 'c: eviction', 'd: eviction'],
  },
  {
    name: 'those that something else refused are asked one by one',
    facts: {
      pods: [aDrainPod('a'), aDrainPod('b')],
      refusals: { 'uid-of-a': refused(), 'uid-of-b': refused() },
    },
    parallel: ['a: eviction', 'b: eviction'],
  },
])('planRemovals: $name', ({ facts, parallel = [], serial = [] }) => {
  expect(plan(facts)).toEqual({ parallel, serial });
});

test('of thousands of pods the first thousand are asked, and the next ones when those go', () => {
  const pods = Array.from({ length: 2_500 }, (_, index) => aDrainPod(`p${index}`));
  expect(plan({ pods }).parallel).toHaveLength(1_000);
  const going = pods.map((pod, index) => (index < 1_000 ? { ...pod, goneBy: now } : pod));
  expect(plan({ pods: going }).parallel[0]).toBe('p1000: eviction');
});

const hopeless = { isOfBudget: true, isHopeless: true };

test.each([
  { name: 'then as long as it has waited', elapsed: 12, seconds: 12 },
  { name: 'up to half of that sooner by chance', elapsed: 12, random: 1, seconds: 6 },
  { name: 'after a minute at the latest', elapsed: 600, seconds: 60 },
  { name: 'after two where a budget is watched', elapsed: 600, isOfBudget: true, seconds: 120 },
  { name: 'as late where it never can allow', elapsed: 0, ...hopeless, seconds: 120 },
  { name: 'a minute sooner by chance then', elapsed: 0, ...hopeless, random: 1, seconds: 60 },
  { name: 'in time to be deleted', elapsed: 3_599, seconds: 1 },
  { name: 'as seldom where its deletion is refused too', elapsed: 3_600, seconds: 60 },
])('a refused pod is asked again $name', ({ elapsed, seconds, ...changes }) => {
  const since = now - elapsed * 1000;
  const input = { isHopeless: false, isOfBudget: false, random: 0, ...changes };
  const next = nextTryOf({ ...input, since, now, evictionMilliseconds: 3_600_000 });
  expect((next - now) / 1000).toBe(seconds);
});

test.each([
  { retries: 360, drainTimeoutSeconds: 70, expected: 3 },
  { retries: 2, drainTimeoutSeconds: 7200, expected: 2 },
  { retries: 5, drainTimeoutSeconds: 0, expected: 0 },
])('$retries eviction retries in a drain of $drainTimeoutSeconds s are $expected', (row) => {
  expect(evictRetriesWithin(row.retries, row.drainTimeoutSeconds)).toBe(row.expected);
});

const budget = (changes: Partial<Budget> = {}): Budget => ({
  metadata: { name: 'web', namespace: 'default', generation: 2 },
  spec: { selector: { matchLabels: { app: 'web' } } },
  status: { observedGeneration: 2, expectedPods: 3, currentHealthy: 3, disruptionsAllowed: 0 },
  ...changes,
});

describe('budgets', () => {
  test.each<{ name: string; changes: Partial<Budget>; takes: boolean }>([
    { name: 'for all pods', changes: { spec: { selector: {} } }, takes: true },
    { name: 'without a selector', changes: { spec: {} }, takes: false },

    {
      name: 'of another namespace',
      changes: { metadata: { name: 'web', namespace: 'other' } },
      takes: false,
    },
  ])('a budget $name', ({ changes, takes }) => {
    expect(budgetsOf(aDrainPod('x'), [budget(changes)])).toHaveLength(takes ? 1 : 0);
  });

  test.each<{ name: string; status: Budget['status']; expected: boolean }>([
    { name: 'all healthy and none allowed', status: {}, expected: true },
    { name: 'an older generation', status: { observedGeneration: 1 }, expected: false },
    { name: 'a pod too few', status: { currentHealthy: 2 }, expected: false },
    { name: 'one allowed', status: { disruptionsAllowed: 1 }, expected: false },
    { name: 'no pods', status: { expectedPods: 0, currentHealthy: 0 }, expected: false },
    { name: 'one on its way', status: { disruptedPods: { 'web-1': 'now' } }, expected: false },
  ])('misconfigured: $name: $expected', ({ status, expected }) => {
    const { status: healthy } = budget();
    expect(isMisconfigured(budget({ status: { ...healthy, ...status } }))).toBe(expected);
  });
});

describe('what is in the way', () => {
  const volumeWait = {
    pod: 'default/db-0',
    podUid: 'u',
    stage: 'detach' as const,
    volumes: ['pv-1', 'pv-2'],
    since: now - 20_000,
    until: now + 60_000,
  };

  test('budgets, pods that do not terminate and volumes, the longest wait first', () => {
    const pods = [aDrainPod('a'), aDrainPod('b', { goneBy: now - 30_000 }), aDrainPod('c')];
    const refusals = { 'uid-of-a': refused({ since: now - 10_000 }) };
    expect(blockersOf({ pods, refusals, volumeWait, now })).toMatchObject([
      { blockedBy: 'Pod/default/b', pod: 'default/b' },
      { blockedBy: 'Volume/pv-1', pod: 'default/db-0', why: expect.stringContaining('and 1 more') },
      { blockedBy: 'PodDisruptionBudget/default/web', nextTryAt: now },
    ]);
  });

  test('what takes only a little longer is not', () => {
    const pods = [aDrainPod('b', { goneBy: now - 10_000 })];
    const young = { ...volumeWait, since: now - 10_000 };
    expect(blockersOf({ pods, refusals: {}, volumeWait: young, now })).toEqual([]);
  });
});

describe('a pod on the closed Node is left there', () => {
  const taint = 'node.kubernetes.io/unschedulable';

  test.each([
    { isLeft: true, name: 'that tolerates everything', toleration: { operator: 'Exists' } },
    { isLeft: true, name: 'that tolerates it', toleration: { key: taint, operator: 'Exists' } },
    { isLeft: true, name: 'that equals it', toleration: { key: taint, effect: 'NoSchedule' } },
    { isLeft: false, name: 'of another value', toleration: { key: taint, value: 'x' } },
    { isLeft: false, name: 'of another key', toleration: { key: 'x', operator: 'Exists' } },
    {
      isLeft: false,
      name: 'of another effect',
      toleration: { operator: 'Exists', effect: 'NoExecute' },
    },
  ])('$name: $isLeft, if it came later', ({ isLeft, toleration }) => {
    const pod = aDrainPod('operator', { createdAt: now, tolerations: [toleration] });
    expect(isLate(pod, { taint, at: now - 1 })).toBe(isLeft);
    expect(isLate(pod, { taint, at: now })).toBe(false);
  });
});
