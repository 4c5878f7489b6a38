/** What becomes of Nodes and their pods when conditions change and kubelets fall silent. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { ControllersUnderTest, pods } from './controllers-under-test.ts';
import { isReady } from './objects.ts';
import type { Toleration } from './objects.ts';

let world: ControllersUnderTest;
const names = ['one', 'two', 'three', 'four'];
const unready = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';

beforeEach(async () => {
  world = new ControllersUnderTest();
  for (const name of names) world.addNode(name);
  await world.run(10);
});

function podOn(nodeName: string, tolerations?: Toleration[]): string {
  world.create(pods, `on-${nodeName}`, { spec: { nodeName, ...(tolerations && { tolerations }) } });
  return `${pods}/on-${nodeName}`;
}

describe('taints', () => {
  test('a Node that turns ready loses the one it began with', () => {
    for (const name of names) expect(world.taintsOf(name)).toEqual([]);
  });

  test.each([
    { status: 'False', key: unready },
    { status: 'Unknown', key: unreachable },
  ] as const)('a Node whose Ready is $status has both of $key', async ({ status, key }) => {
    world.setReady('one', status);
    await world.run(30);
    expect(world.taintsOf('one')).toEqual([`${key}:NoExecute`, `${key}:NoSchedule`]);
    world.setReady('one', 'True');
    await world.run(30);
    expect(world.taintsOf('one')).toEqual([]);
  });

  test('a silent Node that is heard of as not ready changes them', async () => {
    world.setReady('one', 'Unknown');
    await world.run(30);
    world.setReady('one', 'False');
    await world.run(30);
    expect(world.taintsOf('one')).toEqual([`${unready}:NoExecute`, `${unready}:NoSchedule`]);
  });

  test('a cordoned Node and one under pressure have theirs; those of others stay', async () => {
    const own = [{ key: 'example.com/own', effect: 'NoExecute' }];
    world.merge(nodePath('one'), { spec: { unschedulable: true, taints: own } });
    const conditions = [
      { type: 'Ready', status: 'True' },
      { type: 'DiskPressure', status: 'True' },
    ];
    world.merge(`${nodePath('one')}/status`, { status: { conditions } });
    await world.run(30);
    expect(world.taintsOf('one')).toEqual([
      'example.com/own:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
    world.merge(nodePath('one'), { spec: { unschedulable: null } });
    world.setReady('one', 'True');
    await world.run(30);
    expect(world.taintsOf('one')).toEqual(['example.com/own:NoExecute']);
  });

  test('when most Nodes are sick, no pods are driven away', async () => {
    for (const name of names) world.setReady(name, 'Unknown');
    await world.run(600);
    expect(world.taintsOf('one')).toEqual([`${unreachable}:NoSchedule`]);
    for (const name of ['two', 'three', 'four']) world.setReady(name, 'True');
    await world.run(60);
    expect(world.taintsOf('one')).toContain(`${unreachable}:NoExecute`);
  });
});

describe('pods of a sick Node', () => {
  test('are not ready as long as it is silent', async () => {
    const path = podOn('one');
    await world.run(30);
    expect(isReady(world.read(path))).toBe(true);
    world.setReady('one', 'False');
    await world.run(30);
    expect(isReady(world.read(path))).toBe(true);
    world.setReady('one', 'True');
    world.setReady('one', 'Unknown');
    await world.run(1);
    expect(isReady(world.read(path))).toBe(false);
    world.setReady('one', 'True');
    await world.run(30);
    expect(isReady(world.read(path))).toBe(true);
  });

  test('are deleted after five minutes, and stay as long as the kubelet is dead', async () => {
    const path = podOn('one');
    await world.run(30);
    world.dead.add('one');
    world.setReady('one', 'Unknown');
    await world.run(290);
    expect(world.read(path).metadata.deletionTimestamp).toBeUndefined();
    await world.run(30);
    expect(world.read(path).metadata.deletionTimestamp).toBeDefined();
    await world.run(3_600);
    expect(world.server.has(path)).toBe(true);
    world.dead.delete('one');
    await world.run(60);
    expect(world.server.has(path)).toBe(false);
  });

  test('stay when it recovers in time', async () => {
    const path = podOn('one');
    world.setReady('one', 'False');
    await world.run(200);
    world.setReady('one', 'True');
    await world.run(600);
    expect(world.read(path).metadata.deletionTimestamp).toBeUndefined();
  });

  test('stay as long as they tolerate it', async () => {
    const forever = podOn('one', [{ operator: 'Exists' }]);
    const short = podOn('two', [{ key: unready, operator: 'Exists', tolerationSeconds: 60 }]);
    for (const name of ['one', 'two']) world.setReady(name, 'False');
    await world.run(120);
    expect(world.server.has(short)).toBe(false);
    await world.run(3_600);
    expect(world.server.has(forever)).toBe(true);
  });

  test('go at once when they do not tolerate the taint of somebody else', async () => {
    const taints = [{ key: 'example.com/own', value: 'a', effect: 'NoExecute' }];
    const path = podOn('one');
    const other = podOn('two', [{ key: 'example.com/own', value: 'a' }]);
    await world.run(30);
    for (const name of ['one', 'two']) world.merge(nodePath(name), { spec: { taints } });
    await world.run(60);
    expect([world.server.has(path), world.server.has(other)]).toEqual([false, true]);
  });
});

describe('pods without a Node', () => {
  test('are removed when it is gone for 40 seconds', async () => {
    const path = podOn('one');
    await world.run(30);
    world.dead.add('one');
    world.server.delete(nodePath('one'));
    await world.run(39);
    expect(world.server.has(path)).toBe(true);
    await world.run(30);
    expect(world.server.has(path)).toBe(false);
  });

  test('stay when a Node of that name comes in time', async () => {
    const path = podOn('one');
    await world.run(30);
    world.server.delete(nodePath('one'));
    world.addNode('one');
    await world.run(600);
    expect(world.server.has(path)).toBe(true);
  });

  test('go when they are deleted before they have one', async () => {
    const taints = [{ key: 'example.com/own', effect: 'NoSchedule' }];
    for (const name of names) world.merge(nodePath(name), { spec: { taints } });
    world.create(pods, 'waiting', { metadata: { finalizers: ['example.com/held'] } });
    await world.run(30);
    world.server.delete(`${pods}/waiting`);
    world.merge(`${pods}/waiting`, { metadata: { finalizers: null } });
    await world.run(60);
    expect(world.server.has(`${pods}/waiting`)).toBe(false);
  });
});

describe('the scheduler', () => {
  test('uses all Nodes that take a pod, and no others', async () => {
    world.merge(nodePath('one'), { spec: { unschedulable: true } });
    const taints = [{ key: 'example.com/own', effect: 'NoSchedule' }];
    world.merge(nodePath('two'), { spec: { taints } });
    await world.run(1);
    for (let count = 0; count < 20; count += 1) world.create(pods, `pod-${count}`);
    await world.run(30);
    const used = new Set(world.listOfPods().map(({ spec }) => spec?.nodeName));
    expect(used).toEqual(new Set(['three', 'four']));
  });

  test('binds a pod that waits as soon as a Node takes it', async () => {
    for (const name of names) world.merge(nodePath(name), { spec: { unschedulable: true } });
    await world.run(1);
    world.create(pods, 'waiting');
    world.create(pods, 'named', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'four' } } });
    await world.run(600);
    expect(world.listOfPods().every(({ spec }) => spec?.nodeName === undefined)).toBe(true);
    world.merge(nodePath('two'), { spec: { unschedulable: null } });
    await world.run(30);
    expect(world.read(`${pods}/waiting`).spec.nodeName).toBe('two');
    expect(world.read(`${pods}/named`).spec.nodeName).toBeUndefined();
  });
});
