import { describe, expect, test } from '@jest/globals';
import { beginTeardown, finishTeardown } from '../../../activities/machine/teardown.ts';
import { customResource, node as nodePath } from '../../../activities/kube/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aMachineClass, aNode, aSecret, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const deletionTimestamp = '2026-01-01T01:00:00Z';
const deleted = aMachine({ metadata: { deletionTimestamp } });
const ours = { machine, nodeName: 'pool-a', providerID: 'local:///zone-1/i-1' };

test('begins with Terminating, and knows the provider to ask', async () => {
  const world = aWorld({ control: [deleted, aMachineClass(), aSecret()] });
  expect(await beginTeardown(world, { machine })).toMatchObject({
    machine: { isDeleting: true, hasFinalizer: true, provider: 'local' },
  });
  expect((await world.control.read<Machine>(path)).status?.currentStatus?.phase).toBe(
    'Terminating',
  );
});

test('without a class there is no provider', async () => {
  const { machine: prepared } = await beginTeardown(aWorld({ control: [deleted] }), { machine });
  expect(prepared).toBeDefined();
  expect(prepared).not.toHaveProperty('provider');
});

test('a class with a Secret of another namespace has none to ask: a machine that never came to be can go', async () => {
  const foreign = aMachineClass({ secretRef: { name: 'small-secret', namespace: 'garden' } });
  const world = aWorld({ control: [deleted, foreign, aSecret()] });
  const { machine: prepared } = await beginTeardown(world, { machine });
  expect(prepared).toBeDefined();
  expect(prepared).not.toHaveProperty('provider');
});

test('another life of the name is not touched', async () => {
  const world = aWorld({ control: [aMachine({ metadata: { uid: 'uid-2' } })] });
  expect(await beginTeardown(world, { machine })).toEqual({});
  expect((await world.control.read<Machine>(path)).status).toBeUndefined();
  await finishTeardown(world, ours);
  expect(world.control.has(path)).toBe(true);
});

test('ends with the Node and, last of all, the finalizer', async () => {
  const finalizers = ['node.machine.sapcloud.io/machine-controller'];
  const world = aWorld({ control: [deleted], target: [aNode({ metadata: { finalizers } })] });
  let wasNodeGone = false;
  world.control.fault = ({ method }) => {
    if (method === 'PATCH') wasNodeGone = !world.target.has(nodePath('pool-a'));
    return undefined;
  };
  await finishTeardown(world, ours);
  expect(wasNodeGone).toBe(true);
  expect(world.control.has(path)).toBe(false);
});

const anotherInstance = { providerID: 'local:///zone-1/i-2' };

test('the Node of another instance is spared', async () => {
  const metadata = { creationTimestamp: '2020-01-01T00:00:00Z' };
  const node = aNode({ metadata, spec: anotherInstance });
  const world = aWorld({ control: [deleted], target: [node] });
  await finishTeardown(world, ours);
  expect(world.target.writes()).toEqual([]);
  expect(world.control.has(path)).toBe(false);
});

test.each([
  ['another instance came after it', ours],
  ['nobody knows of an instance', { machine }],
])('the Node of an instance that vanished goes with the machine: %s', async (_name, known) => {
  const world = aWorld({ control: [deleted], target: [aNode({ spec: anotherInstance })] });
  await finishTeardown(world, known);
  expect(world.target.has(nodePath('pool-a'))).toBe(false);
});

test('where nobody knows of an instance, an older Node of the name is spared', async () => {
  const metadata = { creationTimestamp: '2020-01-01T00:00:00Z' };
  const world = aWorld({ control: [deleted], target: [aNode({ metadata })] });
  await finishTeardown(world, { machine });
  expect(world.target.writes()).toEqual([]);
});

test('a Node that cannot be deleted keeps the object', async () => {
  const world = aWorld({ control: [deleted], target: [aNode()] });
  world.target.fault = ({ method }) =>
    method === 'DELETE' ? { code: 500, reason: 'InternalError' } : undefined;
  await expect(finishTeardown(world, ours)).rejects.toThrow('InternalError');
  expect(world.control.has(path)).toBe(true);
});

test('can be run twice', async () => {
  const world = aWorld({ control: [deleted], target: [aNode()] });
  await finishTeardown(world, ours);
  await finishTeardown(world, ours);
  expect(world.target.has(nodePath('pool-a'))).toBe(false);
});

const anAttachment = (name: string, nodeName: string): object => ({
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { nodeName, source: { persistentVolumeName: `pv-${name}` } },
});

describe('volumes of an instance that is gone', () => {
  const attachments = '/apis/storage.k8s.io/v1/volumeattachments';
  const target = [anAttachment('a', 'pool-a'), anAttachment('b', 'pool-b')];

  test.each([
    {
      name: 'are let go after a forced drain',
      node: aNode(),
      mustDetachVolumes: true,
      left: ['b'],
    },
    { name: 'are left to Kubernetes otherwise', node: aNode(), left: ['a', 'b'] },
    {
      name: 'stay where another instance has the name by now',
      node: aNode({ spec: { providerID: 'local:///zone-1/i-2' } }),
      mustDetachVolumes: true,
      left: ['a', 'b'],
    },
  ])('$name', async ({ node, mustDetachVolumes = false, left }) => {
    const world = aWorld({ control: [deleted], target: [...target, node] });
    await finishTeardown(world, { ...ours, mustDetachVolumes });
    const { items } = await world.target.list<{ metadata: { name: string } }>(attachments);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(left);
  });
});
