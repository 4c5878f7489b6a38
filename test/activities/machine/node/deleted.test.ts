/** A Machine that has not joined goes with its Node, as in MCM. */
import { customResource, namespaced } from '../../../../kube/client/paths.ts';
import { deleteWithNode } from '../../../../activities/machine/node/deleted.ts';
import type { Machine } from '../../../../workflows/api/machine.ts';
import { aMachine, aNode, namespace } from '../../../support/builders.ts';
import type { WorldOfTests } from '../../../support/world.ts';
import { aWorld, lifeOf } from '../../../support/world.ts';

const path = customResource('machines', namespace, 'pool-a');
const providerID = 'local:///zone-1/i-1';
const input = { machine: lifeOf('pool-a'), instance: { providerID, nodeName: 'pool-a' } };
const deletionTimestamp = '2026-01-01T00:00:00Z';

function pending(name = 'pool-a', metadata: object = {}): Machine {
  return aMachine({ phase: 'Pending', metadata: { name, labels: { node: name }, ...metadata } });
}

function running(name: string): Machine {
  return aMachine({ phase: 'Running', metadata: { name, labels: { node: name } } });
}

async function isDeleted({ control }: WorldOfTests): Promise<boolean> {
  const { metadata } = await control.read<Machine>(path);
  return metadata.deletionTimestamp !== undefined;
}

describe('a Machine that waits for its Node is deleted', () => {
  test.each([
    {
      name: 'when the Node is being deleted',
      target: [aNode({ metadata: { deletionTimestamp } })],
    },
    { name: 'when the Node is gone', target: [] },
    {
      name: 'when another instance has a Node of the name',
      target: [aNode({ spec: { providerID: 'local:///zone-1/i-2' } })],
    },
  ])('$name', async ({ target }) => {
    const world = aWorld({ control: [pending()], target });
    expect(await deleteWithNode(world, input)).toEqual({ found: 'deleting' });
    expect(await isDeleted(world)).toBe(true);
    expect(world.control.bodies).toContainEqual({ preconditions: { uid: 'uid-of-pool-a' } });
    const { items } = await world.control.list<object>(namespaced('events', namespace));
    expect(items).toMatchObject([{ type: 'Normal', reason: 'NodeDeleted' }]);
  });
});

describe('a Machine that waits for its Node is left alone', () => {
  const outage = ['pool-b', 'pool-c', 'pool-d'].map(running);

  test.each([
    { name: 'when its Node is there', control: [pending()], target: [aNode()] },
    {
      name: 'when the name belongs to another life',
      control: [pending('pool-a', { uid: 'uid-2' })],
      target: [],
    },
    { name: 'when most Nodes went at once', control: [pending(), ...outage], target: [] },
  ])('$name', async ({ control, target }) => {
    const world = aWorld({ control, target });
    expect(await deleteWithNode(world, input)).toEqual({ found: 'nothing' });
    expect(world.control.writes()).toEqual([]);
  });

  test('when it is gone', async () => {
    expect(await deleteWithNode(aWorld(), input)).toEqual({ found: 'nothing' });
  });

  test('when it is being deleted already', async () => {
    const world = aWorld({ control: [pending('pool-a', { deletionTimestamp })] });
    expect(await deleteWithNode(world, input)).toEqual({ found: 'deleting' });
    expect(world.control.writes()).toEqual([]);
  });

  test('when the target cluster does not answer', async () => {
    const world = aWorld({ control: [pending()] });
    world.target.fault = () => ({ code: 503, reason: 'ServiceUnavailable' });
    expect(await deleteWithNode(world, input)).toMatchObject({ found: 'outOfReach' });
    expect(world.control.writes()).toEqual([]);
  });

  test('when the Lease is lost while its Node is read', async () => {
    const activeWatcher = { isLeading: true, isActive: () => activeWatcher.isLeading };
    const world = aWorld({ control: [pending()], activeWatcher });
    world.target.fault = () => {
      activeWatcher.isLeading = false;
      return undefined;
    };
    await expect(deleteWithNode(world, input)).rejects.toMatchObject({ type: 'NoActiveWatcher' });
    expect(world.control.writes()).toEqual([]);
  });
});

describe('a Machine whose deletion the API server refuses', () => {
  const denied = { code: 403, reason: 'Forbidden', message: 'denied by a policy' };
  const refusing = (): WorldOfTests => {
    const world = aWorld({ control: [pending()] });
    world.control.fault = ({ method }) => (method === 'DELETE' ? denied : undefined);
    return world;
  };

  test('says so once, and the step ends instead of being tried again by Temporal', async () => {
    const world = refusing();
    const refusal = { type: 'Refused', nonRetryable: true };
    await expect(deleteWithNode(world, input)).rejects.toMatchObject(refusal);
    const { status } = await world.control.read<Machine>(path);
    expect(status?.currentStatus?.phase).toBe('Pending');
    expect(status?.lastOperation?.description).toMatch(
      /^Machine pool-a: its Node was deleted, but the API server refused .*denied by a policy/,
    );
    const { items } = await world.control.list<object>(namespaced('events', namespace));
    expect(items).toMatchObject([{ type: 'Warning', reason: 'FailedDelete' }]);
    const written = world.control.writes().length;
    await expect(deleteWithNode(world, input)).rejects.toMatchObject(refusal);
    // The deletion itself.
    expect(world.control.writes()).toHaveLength(written + 1);
  });

  test('ends the step also when its status is refused', async () => {
    const world = refusing();
    world.control.fault = ({ method }) => (method === 'GET' ? undefined : denied);
    await expect(deleteWithNode(world, input)).rejects.toMatchObject({ type: 'Refused' });
  });
});
