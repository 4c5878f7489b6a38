import { customResource } from '../../../kube/client/paths.ts';
import type { DisruptionPolicy } from '../../../workflows/api/disruption-policy.ts';
import { aDisruptionPolicy, namespace } from '../../support/builders.ts';
import { aPolicy, aRollingZone, policyPath, PolicyWorld } from './policy-world.ts';

const pathOf = (name: string): string => customResource('machinedeployments', namespace, name);
let pool: PolicyWorld;

async function aPool(spec: DisruptionPolicy['spec'], ...others: object[]): Promise<void> {
  const zones = ['a', 'b', 'c'].flatMap((name) => aRollingZone({ name }));
  pool = await new PolicyWorld(aPolicy(spec), ...others, ...zones).hear();
}

/** Names of those that may roll now, and why the others may not. */
async function mayRoll(): Promise<string[]> {
  const answers = ['a', 'b', 'c'].map(async (name) => {
    const { closed } = (await pool.observe(name)).gate ?? {};
    return closed ? [] : [name];
  });
  return (await Promise.all(answers)).flat();
}

const change = async (name: string, patch: object): Promise<void> =>
  void (await pool.control.patch(pathOf(name), 'merge', patch));

async function turn(name: string): Promise<void> {
  await pool.turn(name);
  await pool.hear();
}

const holders = async (): Promise<string[]> =>
  ((await pool.policy()).status?.turns ?? []).map(({ deployment }) => deployment);

test('as many as may roll at a time are the first by name', async () => {
  await aPool({ atATime: { deployments: 2 } });
  expect(await mayRoll()).toEqual(['a', 'b']);
  await turn('b');
  expect([await holders(), await mayRoll()]).toEqual([['b'], ['a', 'b']]);
  await turn('a');
  expect((await pool.observe('c')).gate?.closed?.why).toBe(
    'at most 2 deployments roll at a time: b, a first',
  );
});

test('one that is kept by a hold of its own does not stand in the way', async () => {
  await aPool({ atATime: { deployments: 1 } });
  await change('a', { spec: { paused: true } });
  const rolloutAfter = { 'millwright.dev/rollout-after': '2100-01-01T00:00:00Z' };
  await change('b', { metadata: { annotations: rolloutAfter } });
  expect(await mayRoll()).toEqual(['c']);
});

test.each([
  { orchestrationType: 'Manual', next: 'b' },
  { orchestrationType: 'Auto', next: 'a' },
])(
  'one that is updated in place is a next one, but not by hand: $orchestrationType',
  async (one) => {
    await aPool({ atATime: { deployments: 1 } });
    const { orchestrationType } = one;
    const inPlaceUpdate = { maxSurge: 0, maxUnavailable: 1, orchestrationType };
    await change('a', { spec: { strategy: { type: 'InPlaceUpdate', inPlaceUpdate } } });
    expect(await mayRoll()).toEqual([one.next]);
  },
);

test('nor does one that waits for the window of another policy', async () => {
  const selector = { matchLabels: { zone: 'a' } };
  const windows = [{ schedule: '0 2 29 2 *', duration: '1h' }];
  await aPool({ atATime: { deployments: 1 } }, aDisruptionPolicy({ spec: { selector, windows } }));
  await change('a', { metadata: { labels: { zone: 'a' } } });
  expect(await mayRoll()).toEqual(['b']);
});

test('one that a policy finds in the middle of its rollout comes first', async () => {
  await aPool({});
  for (let count = 0; count < 4; count += 1) await turn('b');
  await pool.growSets();
  await pool.control.patch(policyPath, 'merge', { spec: { atATime: { deployments: 1 } } });
  await pool.hear();
  expect(await mayRoll()).toEqual(['b']);
});

test('who has begun keeps the turn, also while it is paused, until it is gone', async () => {
  await aPool({ atATime: { deployments: 1 } });
  await turn('a');
  await change('a', { spec: { paused: true } });
  expect((await pool.observe('b')).gate?.closed?.kind).toBe('turn');
  await change('a', { metadata: { finalizers: null } });
  await pool.control.delete(pathOf('a'));
  const { closed } = (await pool.observe('b')).gate ?? {};
  expect(closed).toBeUndefined();
  await turn('b');
  expect(await holders()).toEqual(['b']);
});

test('where the next one has not begun, the others ask again', async () => {
  await aPool({ atATime: { deployments: 1 } });
  expect((await pool.observe('b')).gate).toEqual({
    closed: {
      policy: 'pool',
      kind: 'turn',
      why: 'at most 1 deployment rolls at a time: a first',
    },
    until: expect.any(Number),
  });
});

test('of two that begin in the same moment one gets the turn', async () => {
  await aPool({ atATime: { deployments: 1 } });
  // The watch has not heard that `a` is there.
  await change('a', { spec: { paused: true } });
  const steps = await pool.plan('b');
  await change('a', { spec: { paused: false } });
  expect(steps.steps).toHaveLength(1);
  await Promise.all(['a', 'b'].map((name) => pool.turn(name)));
  expect(await holders()).toHaveLength(1);
});

test('who waits for a rollout that is Blocked asks a person, once all of them are', async () => {
  await aPool({ atATime: { deployments: 2 } });
  await turn('a');
  await turn('b');
  const isBlocked = async () => (await pool.observe('c')).gate?.closed?.isBlocked;
  const block = async (name: string): Promise<void> => {
    const progressing = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
    };
    const path = `${pathOf(name)}/status`;
    await pool.control.patch(path, 'merge', { status: { conditions: [progressing] } });
  };
  await block('a');
  expect(await isBlocked()).toBeUndefined();
  await block('b');
  expect(await isBlocked()).toBe(true);
  expect((await pool.observe('c')).gate?.until).toEqual(expect.any(Number));
});
