import { customResource } from '../../../kube/client/paths.ts';
import { options } from '../../../workflows/api/constants.ts';
import { aMachineSet, controlledBy, namespace } from '../../support/builders.ts';
import { aPolicy, aRollingZone, onTheirWay, PolicyWorld } from './policy-world.ts';

const zones = ['a', 'b', 'c'];

async function aPool(spec: Parameters<typeof aPolicy>[0], zone = {}): Promise<PolicyWorld> {
  const objects = zones.flatMap((name) => aRollingZone({ name, ...zone }));
  return await new PolicyWorld(aPolicy(spec), ...objects).hear();
}

/** Until nothing is left to do; what is on its way is never more than `most`. */
async function roll(pool: PolicyWorld, most: number): Promise<void> {
  for (let round = 0; round < 60; round += 1) {
    const outcomes: unknown[] = [];
    for (const name of zones) {
      outcomes.push(await pool.turn(name));
      await pool.hear();
      expect(await onTheirWay(pool)).toBeLessThanOrEqual(most);
    }
    await pool.settleSets();
    const sizes = Object.keys(await pool.sizes());
    if (outcomes.every((one) => one === undefined) && sizes.every((set) => !set.endsWith('-old')))
      return;
  }
  throw new Error('the rollout does not end');
}

test('without a policy nothing of it is read, written or said', async () => {
  const pool = await new PolicyWorld(...aRollingZone({ name: 'a' })).hear();
  expect(await pool.observe('a')).not.toHaveProperty('gate');
  await pool.turn('a');
  expect(pool.control.calls.join('\n')).not.toContain('disruptionpolicies');
  expect(pool.taken).toEqual([]);
});

test('a policy that selects other deployments is none', async () => {
  const selector = { matchLabels: { pool: 'web' } };
  const pool = await aPool({ selector, atATime: { machines: 1 } });
  expect(await pool.observe('a')).not.toHaveProperty('gate');
});

test('a policy without limits is an open gate, and costs no write', async () => {
  const pool = await aPool({});
  expect((await pool.observe('a')).gate).toEqual({});
  await roll(pool, 9);
  expect(pool.control.writes().join('\n')).not.toContain('disruptionpolicies');
});

test('machines: 1 is one machine of all deployments at a time', async () => {
  const pool = await aPool({ atATime: { machines: 1 } });
  await roll(pool, 1);
  expect(pool.taken).toEqual(Array.from({ length: 9 }, () => 'Rollout 1'));
});

test('a percentage is of the sum of all replicas, rounded up', async () => {
  const pool = await aPool({ atATime: { machines: '20%' } });
  expect((await pool.observe('a')).gate).toMatchObject({ machines: { count: 2 } });
  await roll(pool, 2);
});

const isPolicy = (call: string): boolean => call.includes('disruptionpolicies/pool/status');

test('the grant stands in the status before the set shrinks', async () => {
  const pool = await aPool({ atATime: { machines: 1 } });
  await pool.turn('a');
  await pool.hear();
  const writes = pool.control.writes();
  await pool.turn('a');
  const later = pool.control.writes().slice(writes.length);
  expect(later.filter(isPolicy)).toHaveLength(1);
  expect(later.findIndex(isPolicy)).toBeLessThan(
    later.findIndex((call) => call.includes('machinesets/a-old')),
  );
  expect((await pool.policy()).status?.grants).toEqual([
    {
      deployment: 'a',
      uid: 'uid-of-a',
      set: 'a-old',
      to: 2,
      takenAt: expect.stringMatching(/Z$/),
    },
  ]);
});

test('deployments: 1 rolls one deployment after the other, by name', async () => {
  const pool = await aPool({ atATime: { deployments: 1 } });
  expect((await pool.plan('b')).steps).toEqual([]);
  await pool.turn('a');
  await pool.hear();
  const { turns } = (await pool.policy()).status ?? {};
  expect(turns).toEqual([{ deployment: 'a', uid: 'uid-of-a', since: expect.any(String) }]);
  expect((await pool.observe('c')).gate?.closed).toEqual({
    policy: 'pool',
    kind: 'turn',
    why: 'at most 1 deployment rolls at a time: a first',
  });
  await roll(pool, 1);
  expect((await pool.policy()).status?.turns).toBeUndefined();
});

test('surge is for the deployment whose turn it is, which takes nothing before', async () => {
  const pool = await aPool({ atATime: { deployments: 1 }, surge: 1 });
  expect(await pool.observe('a')).toMatchObject({ maxSurge: 1, maxUnavailable: 0 });
  expect(await pool.observe('b')).toMatchObject({ maxSurge: 0, maxUnavailable: 1 });
  for (let round = 0; round < 60; round += 1) {
    for (const name of zones) {
      await pool.turn(name);
      await pool.hear();
      const machines = (await pool.machines()).length;
      expect(machines).toBeLessThanOrEqual(10);
      const { length } = (await pool.machines()).filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      );
      expect(length - (await surplus(pool))).toBeGreaterThanOrEqual(9);
    }
    await pool.settleSets();
  }
  expect(Object.keys(await pool.sizes()).some((set) => set.endsWith('-old'))).toBe(false);
});

async function surplus(pool: PolicyWorld): Promise<number> {
  const going = (await pool.machines()).filter(({ metadata }) => metadata.deletionTimestamp).length;
  return (await onTheirWay(pool)) - going;
}

test('machines: 0 closes the gate, and only a person ends that', async () => {
  const pool = await aPool({ atATime: { machines: 0 } });
  const { gate } = await pool.observe('a');
  expect(gate?.closed).toMatchObject({ policy: 'pool', kind: 'fault' });
  expect(gate?.machines).toMatchObject({ count: 0 });
});

test('an automatic rollback to a set that has lost all its machines is bounded as well', async () => {
  const pool = await aPool({ atATime: { machines: 1 } }, { isAtRest: true });
  const deployment = await pool.deployment('a');
  const former = aMachineSet({
    metadata: {
      name: 'a-former',
      ownerReferences: controlledBy(deployment),
      annotations: { 'deployment.kubernetes.io/revision': '1' },
    },
    spec: { replicas: 0, selector: { matchLabels: { zone: 'a' } } },
  });
  pool.control.put(former);
  expect(await pool.observe('a')).not.toHaveProperty('gate');
  const annotations = { [options.rolledBackFrom]: 'a-old' };
  const path = customResource('machinedeployments', namespace, 'a');
  await pool.control.patch(path, 'merge', { metadata: { annotations } });
  expect((await pool.observe('a')).gate).toMatchObject({ machines: { count: 1 } });
});
