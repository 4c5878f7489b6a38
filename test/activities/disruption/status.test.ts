import { refreshPolicies } from '../../../activities/disruption/status.ts';
import type { PolicyFigures } from '../../../activities/disruption/status.ts';
import { customResource, disruptionPolicy, namespaced } from '../../../kube/client/paths.ts';
import type { DisruptionPolicy } from '../../../workflows/api/disruption-policy.ts';
import { namespace } from '../../support/builders.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { aPolicy, aRollingZone, policyPath, PolicyWorld } from './policy-world.ts';

/** It begins on Thursday, 1 January 2026, at midnight UTC. */
let system: HandSystem;
let pool: PolicyWorld;

beforeEach(() => {
  system = new HandSystem();
});

async function aPool(spec: DisruptionPolicy['spec'], changes = {}): Promise<PolicyWorld> {
  const objects = ['a', 'b'].flatMap((name) => aRollingZone({ name }));
  pool = await new PolicyWorld(aPolicy(spec, changes), ...objects).hear();
  return pool;
}

async function refresh(): Promise<PolicyFigures[]> {
  const figures = await system.run(() => refreshPolicies(pool.world));
  await pool.hear();
  return figures;
}

const writes = (): number => pool.control.writes().filter((call) => call.includes('polic')).length;

test('it says what is allowed, until when, and how many go and wait', async () => {
  await aPool({
    windows: [{ schedule: '0 2 * * SAT', duration: '4h' }],
    atATime: { machines: '50%' },
  });
  expect(await refresh()).toEqual([
    { name: 'pool', isOpen: false, going: 0, allowed: 3, waiting: 6 },
  ]);
  const { conditions, message, ...status } = (await pool.policy()).status ?? {};
  expect(status).toMatchObject({
    open: false,
    until: '2026-01-03T02:00:00Z',
    going: 0,
    waiting: 6,
  });
  expect(message).toContain('waits for its window, Sat 2026-01-03 02:00 UTC');
  expect(conditions).toEqual([
    {
      type: 'Accepted',
      status: 'True',
      reason: 'Accepted',
      message: 'It is followed.',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    },
  ]);
});

test('it is written when it says something else, and at no other time', async () => {
  await aPool({ windows: [{ schedule: '0 2 * * SAT', duration: '4h' }] });
  await refresh();
  expect(writes()).toBe(1);
  await system.to(24 * 3_600_000);
  await refresh();
  expect(writes()).toBe(1);
  await system.to(51 * 3_600_000);
  await refresh();
  expect((await pool.policy()).status).toMatchObject({ open: true, until: '2026-01-03T06:00:00Z' });
  expect(writes()).toBe(2);
});

test('a time that does not come any more is taken away, once', async () => {
  await aPool({ exclusions: [{ start: '2025-12-31T00:00:00Z', end: '2026-01-02T00:00:00Z' }] });
  await refresh();
  expect((await pool.policy()).status).toMatchObject({ open: false, until: expect.any(String) });
  await pool.control.patch(policyPath, 'merge', { spec: { exclusions: null } });
  await pool.hear();
  await refresh();
  const written = writes();
  expect((await pool.policy()).status).not.toHaveProperty('until');
  await refresh();
  expect(writes()).toBe(written);
});

test('one that cannot be followed says why, in an Event too, once', async () => {
  await aPool({ windows: [{ schedule: '0 2 * * SAT', duration: '4h', timeZone: 'Mars/Olympus' }] });
  expect(await refresh()).toMatchObject([{ isOpen: false, allowed: 0, waiting: 6 }]);
  await refresh();
  const { status } = await pool.policy();
  expect(status).toMatchObject({ open: false, message: 'is closed, as it cannot be followed' });
  expect(status?.conditions?.[0]).toMatchObject({ status: 'False', reason: 'Invalid' });
  expect(status?.conditions?.[0]?.message).toContain('Mars/Olympus');
  const { items } = await pool.control.list<{ reason: string }>(namespaced('events', namespace));
  expect(items.map(({ reason }) => reason)).toEqual(['PolicyInvalid']);
  expect((await pool.observe('a')).gate?.closed).toMatchObject({ kind: 'fault', policy: 'pool' });
});

test('turns of deployments that are gone or over end, and grants that have been used', async () => {
  const since = '2026-01-01T00:00:00Z';
  const grant = { deployment: 'a', uid: 'uid-of-a', set: 'a-old', takenAt: since };
  const turns = ['a', 'gone'].map((name) => ({ deployment: name, uid: `uid-of-${name}`, since }));
  const grants = [
    { ...grant, to: 3 },
    { ...grant, to: 2 },
    { ...grant, set: 'another', to: 0 },
  ];
  await aPool({ atATime: { machines: 1, deployments: 2 } }, { status: { turns, grants } });
  await refresh();
  const { status } = await pool.policy();
  expect(status?.turns).toEqual([turns[0]]);
  expect(status?.grants).toEqual([grants[1]]);
  expect(status?.going).toBe(1);
  await system.to(11 * 60_000);
  await refresh();
  expect((await pool.policy()).status?.grants).toBeUndefined();
});

test('without a policy nothing is read', async () => {
  pool = await new PolicyWorld(...aRollingZone({ name: 'a' })).hear();
  expect(await refresh()).toEqual([]);
  expect(pool.control.calls).toEqual([]);
});

test('a policy that is taken away meanwhile is no error', async () => {
  await aPool({});
  await pool.control.patch(policyPath, 'merge', { metadata: { finalizers: null } });
  await pool.control.delete(policyPath);
  expect(await system.run(() => refreshPolicies(pool.world))).toHaveLength(1);
  expect(pool.control.has(disruptionPolicy(namespace, 'pool'))).toBe(false);
  expect(pool.control.has(customResource('machinedeployments', namespace, 'a'))).toBe(true);
});
