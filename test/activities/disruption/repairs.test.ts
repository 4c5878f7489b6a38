import { customResource } from '../../../kube/client/paths.ts';
import type { DisruptionPolicy } from '../../../workflows/api/disruption-policy.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import { namespace } from '../../support/builders.ts';
import { aPolicy, aRollingZone, PolicyWorld } from './policy-world.ts';

const setPath = (zone: string): string => customResource('machinesets', namespace, `${zone}-old`);

/** Deployments at rest, whose sets have these machines that have failed. */
async function aPool(spec: DisruptionPolicy['spec'], failed: string[]): Promise<PolicyWorld> {
  const objects = ['a', 'b'].flatMap((name) => aRollingZone({ name }));
  const pool = await new PolicyWorld(aPolicy(spec), ...objects).hear();
  for (const zone of ['a', 'b']) {
    const path = customResource('machinedeployments', namespace, zone);
    const template = { spec: { class: { kind: 'MachineClass', name: 'small' } } };
    await pool.control.patch(path, 'merge', { spec: { template } });
    const failedMachines = failed
      .filter((name) => name.startsWith(`${zone}-`))
      .map((name) => ({ name }));
    await pool.control.patch(`${setPath(zone)}/status`, 'merge', { status: { failedMachines } });
  }
  for (const name of failed) {
    const path = `${customResource('machines', namespace, name)}/status`;
    await pool.control.patch(path, 'merge', { status: { currentStatus: { phase: 'Failed' } } });
  }
  return pool;
}

async function listedIn(pool: PolicyWorld, zone: string): Promise<string | undefined> {
  const { metadata } = await pool.control.read<MachineSet>(setPath(zone));
  return metadata.annotations?.['millwright.dev/replacements'];
}

async function turns(pool: PolicyWorld, zone: string): Promise<void> {
  for (let count = 0; count < 4; count += 1) {
    await pool.turn(zone);
    await pool.hear();
  }
}

const closed = { windows: [{ schedule: '0 2 29 2 *', duration: '1h' }] };

test('policies without Repair let a set replace all that failed', async () => {
  const pool = await aPool({ ...closed, atATime: { machines: 0 } }, ['a-old-0']);
  await turns(pool, 'a');
  expect(await listedIn(pool, 'a')).toBeUndefined();
  expect(await pool.observe('a')).not.toHaveProperty('repairsAt');
});

test('a set has a list before the first machine fails', async () => {
  const pool = await aPool({ reasons: ['Repair'] }, []);
  await turns(pool, 'a');
  expect(await listedIn(pool, 'a')).toBe('');
});

test('a failed machine waits for the window of Repair', async () => {
  const pool = await aPool({ reasons: ['Repair'], ...closed }, ['a-old-0']);
  await turns(pool, 'a');
  expect(await listedIn(pool, 'a')).toBe('');
  const { repairsAt = 0 } = await pool.observe('a');
  expect(new Date(repairsAt).toISOString()).toMatch(/-02-29T02:00:00/);
});

test('an open policy lets all of them be replaced', async () => {
  const pool = await aPool({ reasons: ['Repair'] }, ['a-old-0', 'a-old-1']);
  await turns(pool, 'a');
  expect(await listedIn(pool, 'a')).toBe('a-old-0,a-old-1');
  expect(pool.taken).toEqual(['Repair 1', 'Repair 1']);
});

test('a number is of all deployments, also where two ask at once', async () => {
  const failed = ['a-old-0', 'a-old-1', 'b-old-0'];
  const pool = await aPool({ reasons: ['Repair'], atATime: { machines: 1 } }, failed);
  // Until a set has a list it may replace all of them, so all of them count.
  for (const zone of ['a', 'b']) await pool.turn(zone);
  const facts = await Promise.all(['a', 'b'].map((zone) => pool.observe(zone)));
  expect(facts.map(({ grants }) => grants)).toEqual([
    [{ set: 'a-old', machines: ['a-old-0'] }],
    [{ set: 'b-old', machines: ['b-old-0'] }],
  ]);
  await Promise.all(['a', 'b'].map((zone) => pool.turn(zone)));
  await pool.hear();
  const lists = await Promise.all(['a', 'b'].map((zone) => listedIn(pool, zone)));
  expect(lists.join()).toMatch(/^a-old-0,$|^,b-old-0$/);
  await turns(pool, 'a');
  await turns(pool, 'b');
  expect(pool.taken).toEqual(['Repair 1']);
  const first = lists[0] === '' ? 'b' : 'a';
  const path = customResource('machines', namespace, `${first}-old-0`);
  await pool.control.patch(path, 'merge', { metadata: { finalizers: null } });
  await pool.control.delete(path);
  await turns(pool, first === 'a' ? 'b' : 'a');
  expect(pool.taken).toEqual(['Repair 1', 'Repair 1']);
});

test('a list goes with the policy', async () => {
  const pool = await aPool({ reasons: ['Repair'], ...closed }, ['a-old-0']);
  await turns(pool, 'a');
  pool.world.policies.current = () => ({ policies: [] });
  await turns(pool, 'a');
  expect(await listedIn(pool, 'a')).toBeUndefined();
});
