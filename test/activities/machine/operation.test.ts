import { recordOperation } from '../../../activities/machine/operation.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const input = {
  machine: lifeOf('pool-a'),
  operation: 'Delete' as const,
  description: 'waits for the cloud: instance i-1 is shutting-down since 14:02 UTC',
};
const path = customResource('machines', namespace, 'pool-a');

test('a long operation of the cloud is the lastOperation of its Machine; the phase stays', async () => {
  const world = aWorld({ control: [aMachine({ phase: 'Terminating' })] });
  await recordOperation(world, input);
  const { status } = await world.control.read<Machine>(path);
  expect(status).toMatchObject({
    currentStatus: { phase: 'Terminating' },
    lastOperation: { description: input.description, state: 'Processing', type: 'Delete' },
  });
  expect(status?.lastOperation).not.toHaveProperty('errorCode');
});

test('a lastOperation that is there already is not written again', async () => {
  const world = aWorld({ control: [aMachine({ phase: 'Terminating' })] });
  await recordOperation(world, input);
  const writes = world.control.writes().length;
  await recordOperation(world, input);
  expect(world.control.writes()).toHaveLength(writes);
});

test.each([
  { name: 'another life of the Machine', metadata: { uid: 'another' }, operation: 'Delete' },
  {
    name: 'a create of one that is being deleted',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    operation: 'Create',
  },
] as const)(
  'a long operation of the cloud is not written on $name',
  async ({ metadata, operation }) => {
    const world = aWorld({ control: [aMachine({ metadata })] });
    await recordOperation(world, { ...input, operation });
    expect(world.control.writes()).toEqual([]);
  },
);
