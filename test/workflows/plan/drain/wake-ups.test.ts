import type {
  BlockedDrain,
  BlockedPod,
  WatchedBudget,
} from '../../../../workflows/plan/drain/wake-ups.ts';
import { chanceOf, mayFree, wakesOf } from '../../../../workflows/plan/drain/wake-ups.ts';

function aBudget(
  name: string,
  allowed: number,
  changes: { app?: string; generation?: number; policy?: string; healthy?: number } = {},
): WatchedBudget {
  const { app = 'web', generation = 1, policy, healthy } = changes;
  return {
    name: `default/${name}`,
    resourceVersion: `${100 + allowed}`,
    metadata: { namespace: 'default', name, generation },
    spec: {
      selector: { matchLabels: { app } },
      ...(policy !== undefined && { unhealthyPodEvictionPolicy: policy }),
    },
    status: {
      observedGeneration: 1,
      disruptionsAllowed: allowed,
      ...(healthy !== undefined && { currentHealthy: healthy, desiredHealthy: 2 }),
    },
  };
}

function aPod(uid: string, changes: Partial<BlockedPod> = {}): BlockedPod {
  return { uid, namespace: 'default', labels: { app: 'web' }, isReady: true, ...changes };
}

describe('a pod may be evicted', () => {
  test.each<{ name: string; budgets: WatchedBudget[]; pod?: Partial<BlockedPod>; state?: string }>([
    { name: 'when no budget takes it any more', budgets: [], state: 'no budget' },
    {
      name: 'when the selector is another',
      budgets: [aBudget('web', 0, { app: 'db' })],
      state: 'no budget',
    },
    { name: 'not when two budgets take it', budgets: [aBudget('a', 1), aBudget('b', 1)] },
    {
      name: 'not before a changed spec was counted',
      budgets: [aBudget('web', 1, { generation: 2 })],
    },
    {
      name: 'when it is not ready, and such pods may always go',
      budgets: [aBudget('web', 0, { policy: 'AlwaysAllow' })],
      pod: { isReady: false },
      state: 'default/web 100',
    },
    {
      name: 'when it is not ready, and enough others are',
      budgets: [aBudget('web', 0, { healthy: 2 })],
      pod: { isReady: false },
      state: 'default/web 100',
    },
    {
      name: 'not when it is not ready, and too few others are',
      budgets: [aBudget('web', 0, { healthy: 1 })],
      pod: { isReady: false },
    },
    { name: 'not when just enough are ready', budgets: [aBudget('web', 0, { healthy: 2 })] },
    {
      name: 'not when only others that are not ready may go',
      budgets: [aBudget('web', 0, { policy: 'AlwaysAllow' })],
    },
  ])('$name', ({ budgets, pod, state }) => {
    expect(chanceOf(aPod('u', pod), budgets)?.state).toBe(state);
  });
});

function aDrain(id: string, since: number, changes: Partial<BlockedDrain> = {}): BlockedDrain {
  return { id, since, pods: [aPod(`pod-of-${id}`)], triedIn: new Map(), ...changes };
}

function woken(
  drains: BlockedDrain[],
  budgets: WatchedBudget[],
  claimed: Record<string, number> = {},
): string[] {
  const facts = { drains, budgetsIn: () => budgets, claimed: new Map(Object.entries(claimed)) };
  return wakesOf(facts).map(({ id }) => id);
}

describe('woken are', () => {
  const drains = [aDrain('c', 3), aDrain('a', 1), aDrain('b', 2)];

  test('as many as the budget allows, the longest blocked first', () => {
    expect(woken(drains, [aBudget('web', 0)])).toEqual([]);
    expect(woken(drains, [aBudget('web', 2)])).toEqual(['a', 'b']);
  });

  test('fewer when others were woken for it and have not tried yet', () => {
    expect(woken(drains, [aBudget('web', 2)], { 'default/web': 1 })).toEqual(['a']);
  });

  test('all when the budget was deleted', () => {
    expect(woken(drains, [])).toEqual(['a', 'b', 'c']);
  });

  test('once for the same state of a budget, the next one instead', () => {
    const tried = aDrain('a', 1, { triedIn: new Map([['pod-of-a', 'default/web 101']]) });
    expect(woken([tried, aDrain('b', 2)], [aBudget('web', 1)])).toEqual(['b']);
    expect(woken([tried], [aBudget('web', 2)])).toEqual(['a']);
  });

  test('one drain for each disruption, however many of its pods wait', () => {
    const two = aDrain('a', 1, { pods: [aPod('1'), aPod('2')] });
    expect(woken([two, aDrain('b', 2)], [aBudget('web', 2)])).toEqual(['a', 'b']);
  });

  test('those of another budget whatever the first one says', () => {
    const db = aDrain('db', 9, { pods: [aPod('1', { labels: { app: 'db' } })] });
    const budgets = [aBudget('web', 0), aBudget('db', 1, { app: 'db' })];
    expect(woken([...drains, db], budgets)).toEqual(['db']);
  });
});

test.each([
  { name: 'allows', before: aBudget('web', 0), after: aBudget('web', 1), expected: true },
  { name: 'was not known', before: undefined, after: aBudget('web', 0), expected: true },
  {
    name: 'takes other pods',
    before: aBudget('web', 0),
    after: aBudget('web', 0, { app: 'db' }),
    expected: true,
  },
  { name: 'allows no more', before: aBudget('web', 1), after: aBudget('web', 0), expected: false },
])('a budget that $name is looked at: $expected', ({ before, after, expected }) => {
  expect(mayFree(after, before)).toBe(expected);
});
