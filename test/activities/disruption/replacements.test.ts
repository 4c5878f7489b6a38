import { findHold } from '../../../activities/machine/replacement.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { DisruptionPolicy } from '../../../workflows/api/disruption-policy.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import { aDisruptionPolicy, namespace } from '../../support/builders.ts';
import { aPolicy, aRollingZone, PolicyWorld } from './policy-world.ts';

const pathOf = (name: string): string => customResource('machines', namespace, name);

class Pool extends PolicyWorld {
  async become(phase: MachinePhase, ...names: string[]): Promise<void> {
    for (const name of names) {
      const status = { currentStatus: { phase } };
      await this.control.patch(`${pathOf(name)}/status`, 'merge', { status });
    }
  }

  async holdOf(name: string): Promise<string | undefined> {
    const machine = await this.control.read<Machine>(pathOf(name));
    return (await findHold(this.world, machine))?.reason;
  }
}

async function aPool(spec: DisruptionPolicy['spec'], ...others: object[]): Promise<Pool> {
  const objects = ['a', 'b', 'c'].flatMap((name) => aRollingZone({ name, replicas: 6 }));
  const pool = new Pool(aPolicy(spec), ...others, ...objects);
  await pool.hear();
  return pool;
}

test('two silent machines of two deployments do not wait for each other, and go one by one', async () => {
  const pool = await aPool({ atATime: { machines: 1 } });
  await pool.become('Unknown', 'a-old-0', 'b-old-0');
  expect(await pool.holdOf('a-old-0')).toBeUndefined();
  expect(await pool.holdOf('b-old-0')).toBe(
    'past its health timeout, but DisruptionPolicy pool: 1 of at most 1 machine on their way: a-old-0',
  );
  // The grant is for a process that dies before it writes the phase.
  expect(await pool.holdOf('a-old-0')).toBeUndefined();
  await pool.become('Failed', 'a-old-0');
  expect(await pool.holdOf('b-old-0')).toContain('a-old-0');
  await pool.become('Running', 'a-old-0');
  expect(await pool.holdOf('b-old-0')).toBeUndefined();
  expect(pool.taken).toEqual(['Replace 1', 'Replace 1', 'Replace 1']);
});

test('of machines that ask at once, one may go', async () => {
  const pool = await aPool({ atATime: { machines: 1 } });
  const names = ['a-old-0', 'b-old-0', 'c-old-0'];
  await pool.become('Unknown', ...names);
  const holds = await Promise.all(names.map((name) => pool.holdOf(name)));
  expect(holds.filter((hold) => hold === undefined)).toHaveLength(1);
});

test('machines that a rollout takes count, and a silent one counts for a rollout', async () => {
  const pool = await aPool({ atATime: { machines: 1 } });
  await pool.become('Unknown', 'b-old-0');
  expect((await pool.observe('a')).gate?.machines).toEqual({
    count: 0,
    policy: 'pool',
    why: '1 of at most 1 machine on their way: b-old-0',
  });
  await pool.become('Running', 'b-old-0');
  for (let turns = 0; turns < 3; turns += 1) await (await pool.hear()).turn('a');
  await pool.become('Unknown', 'b-old-0');
  expect(await pool.holdOf('b-old-0')).toContain('1 of a-old');
});

test('a policy that is for other reasons or deployments holds nothing back', async () => {
  const pool = await aPool({ reasons: ['Rollout'], atATime: { machines: 0 } });
  await pool.become('Unknown', 'a-old-0');
  expect(await pool.holdOf('a-old-0')).toBeUndefined();
  expect(pool.taken).toEqual([]);
});

test('a policy that allows none holds it back', async () => {
  const pool = await aPool({ atATime: { machines: 0 } });
  await pool.become('Unknown', 'a-old-0');
  expect(await pool.holdOf('a-old-0')).toContain('atATime.machines is 0');
});

test('a machine that waits for one policy takes nothing from another', async () => {
  const closed = aDisruptionPolicy({
    spec: { windows: [{ schedule: '0 2 29 2 *', duration: '1h' }] },
  });
  const pool = await aPool({ atATime: { machines: 1 } }, closed);
  await pool.become('Unknown', 'a-old-0');
  expect(await pool.holdOf('a-old-0')).toContain('DisruptionPolicy weekend: waits for its window');
  expect((await pool.policy()).status?.grants).toBeUndefined();
});

test('policies that cannot be read hold it back', async () => {
  const pool = await aPool({});
  pool.world.policies.current = () => ({ unreadable: 'they may not be read' });
  expect(await pool.holdOf('a-old-0')).toBe('past its health timeout, but they may not be read');
});
