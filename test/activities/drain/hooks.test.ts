/** Hooks before a drain: asked right before it, and not any more once it has begun. */
import { customResource, node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { aNode, aPod, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { blocking, Drain } from './drain-under-test.ts';

const path = customResource('machines', namespace, 'pool-a');
const held = { evictedPods: 0, isForced: false, isHeld: true };

/** Puts a hook on the Machine of a drain. */
async function hook(drain: Drain): Promise<void> {
  const annotations = { 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic': 'mesh' };
  await drain.control.patch(path, 'merge', { metadata: { annotations } });
}

test.each([
  { name: 'a drain', changes: {} },
  { name: 'a forced one', changes: { isForced: true } },
  { name: 'one whose time is over', changes: { deadline: 0, countsFrom: 0 } },
])('$name does nothing while a hook holds it', async ({ changes }) => {
  const drain = new Drain(new InMemoryClient(aNode(), aPod()));
  await hook(drain);
  expect(await drain.run({ asksHooks: true, ...changes })).toEqual(held);
  expect([drain.target.writes(), drain.has('web-0')]).toEqual([[], true]);
});

test('so it is where the Node is missing', async () => {
  const drain = new Drain(new InMemoryClient(aPod()));
  await hook(drain);
  expect(await drain.run({ asksHooks: true })).toEqual(held);
});

test('a hook that comes after the first pass comes too late', async () => {
  const drain = blocking(aPod());
  await expect(drain.run({ asksHooks: true })).rejects.toThrow('1 pod left');
  await hook(drain);
  await expect(drain.run({ asksHooks: true })).rejects.toThrow('1 pod left');
});

test('a process that died between the cordon and the first pod is followed by one that asks again', async () => {
  const drain = new Drain(new InMemoryClient(aNode({ spec: { unschedulable: true } }), aPod()));
  await hook(drain);
  drain.attempt = 1;
  expect(await drain.run({ asksHooks: true })).toEqual(held);
  expect(drain.has('web-0')).toBe(true);
});

test('a Machine that cannot be read is not drained', async () => {
  const drain = new Drain(new InMemoryClient(aNode(), aPod()));
  drain.control.fault = () => ({ code: 500, reason: 'InternalError' });
  await expect(drain.run({ asksHooks: true })).rejects.toThrow('InternalError');
  expect(drain.has('web-0')).toBe(true);
});

test.each([
  { name: 'a workflow of an earlier version asks no hooks', changes: {} },
  { name: 'a Node that stays has none', changes: { asksHooks: true, keepsNode: true } },
])('$name', async ({ changes }) => {
  const drain = new Drain(new InMemoryClient(aNode(), aPod()));
  await hook(drain);
  expect(await drain.run(changes)).toMatchObject({ evictedPods: 1 });
});

test('a hook before the instance does not hold the drain', async () => {
  const drain = new Drain(new InMemoryClient(aNode(), aPod()));
  const annotations = { 'suspend-instance-deletion.node.machine.sapcloud.io/etcd': 'druid' };
  await drain.control.patch(path, 'merge', { metadata: { annotations } });
  expect(await drain.run({ asksHooks: true })).toEqual({ evictedPods: 1, isForced: false });
  expect((await drain.target.read<Node>(nodePath('pool-a'))).spec?.unschedulable).toBe(true);
});
