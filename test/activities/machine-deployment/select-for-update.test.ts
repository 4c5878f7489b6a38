/** A person has a Node updated in place next, as far as its rollout may have it. */
import { applyMachineCommand } from '../../../activities/machine/commands.ts';
import { selectForUpdate } from '../../../activities/machine-deployment/select-for-update.ts';
import type { MachineDeploymentSpec } from '../../../workflows/api/machine-deployment.ts';
import { lifeOf } from '../../support/world.ts';
import { InPlaceWorld } from './in-place-world.ts';

const of = (orchestrationType: 'Auto' | 'Manual') => ({
  type: 'InPlaceUpdate' as const,
  inPlaceUpdate: { maxSurge: 0, maxUnavailable: 1, orchestrationType },
});

/** `a` to `c`, which may be selected. */
async function aWorld(
  orchestrationType: 'Auto' | 'Manual' = 'Manual',
  spec: Partial<MachineDeploymentSpec> = {},
): Promise<InPlaceWorld> {
  const world = new InPlaceWorld({ strategy: of(orchestrationType), spec });
  await world.add(...['a', 'b', 'c'].map((name) => ({ name, ...candidate })));
  for (const set of [await world.old(), await world.new()]) {
    world.report(set, {
      replicas: set.spec.replicas ?? 0,
      availableReplicas: set.spec.replicas ?? 0,
    });
  }
  return world;
}

const candidate = { reason: 'CandidateForUpdate', marks: 'c' } as const;

async function select({ world }: InPlaceWorld, name: string): Promise<void> {
  await selectForUpdate(world, lifeOf(name));
}

test.each(['Auto', 'Manual'] as const)('with %s it is selected', async (orchestrationType) => {
  const world = await aWorld(orchestrationType);
  await select(world, 'b');
  expect(await world.marksOf('b')).toBe('cs');
  expect(await world.marksOf('a')).toBe('c');
});

test('asked for twice it stays selected, and another one is one too many', async () => {
  const world = await aWorld();
  await select(world, 'b');
  await select(world, 'b');
  await expect(select(world, 'a')).rejects.toMatchObject({
    message: expect.stringContaining(
      'not selected: 1 may be missing of 3 machines, 1 machine being updated',
    ),
    nonRetryable: true,
  });
  expect(await world.marksOf('a')).toBe('c');
});

test('of more than a hundred any can be named', async () => {
  const world = new InPlaceWorld({ replicas: 150, strategy: of('Manual') });
  const names = Array.from({ length: 150 }, (_, index) => `m${index}`);
  await world.add(...names.map((name) => ({ name, ...candidate })));
  for (const set of [await world.old(), await world.new()]) {
    world.report(set, {
      replicas: set.spec.replicas ?? 0,
      availableReplicas: set.spec.replicas ?? 0,
    });
  }
  await select(world, 'm99');
  expect(await world.marksOf('m99')).toBe('cs');
});

test('while the deployment is paused it is not', async () => {
  const world = await aWorld('Auto', { paused: true });
  await expect(select(world, 'a')).rejects.toThrow('not selected: ');
  expect(await world.marksOf('a')).toBe('c');
});

test('a machine of no deployment is not', async () => {
  const world = await aWorld();
  await expect(select(world, 'gone')).rejects.toThrow('no MachineDeployment updates it in place');
});

test('why not is said on the Machine as well, as a signal has no answer', async () => {
  const world = await aWorld('Auto', { paused: true });
  const asked = { ...world.world, selectForUpdate: () => select(world, 'a') };
  const command = { verb: 'selectForUpdate' } as const;
  await expect(applyMachineCommand(asked, { machine: lifeOf('a'), command })).rejects.toThrow(
    'not selected: ',
  );
  expect(world.control.bodies.at(-1)).toMatchObject({
    reason: 'CommandRefused',
    message: expect.stringContaining('"selectForUpdate" was not done: not selected: '),
  });
});
