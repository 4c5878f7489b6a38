import type { ObjectMeta, OwnerReference } from '../../../kube/client/client.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { configMaps, ControllersUnderTest, pods } from './controllers-under-test.ts';

let world: ControllersUnderTest;

beforeEach(() => {
  world = new ControllersUnderTest();
});

const at = (name: string): string => `${configMaps}/${name}`;

interface Reference {
  blockOwnerDeletion?: boolean;
}

function referenceTo({ name, uid }: ObjectMeta, { blockOwnerDeletion }: Reference = {}) {
  const block = blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion };
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...block };
}

function make(name: string, owners: OwnerReference[] = [], finalizers: string[] = []): ObjectMeta {
  const metadata = { ownerReferences: owners, finalizers };
  return world.create(configMaps, name, { metadata });
}

function ownersOf(name: string): string[] {
  const { metadata } = world.read(at(name));
  return (metadata.ownerReferences ?? []).map((owner: { name: string }) => owner.name);
}

describe('in the background', () => {
  test('dependents of an owner that went go after it, and theirs', async () => {
    const owner = make('owner');
    const child = make('child', [referenceTo(owner)]);
    make('grandchild', [referenceTo(child)]);
    world.server.delete(at('owner'), { propagationPolicy: 'Background' });
    expect(world.server.has(at('child'))).toBe(true);
    await world.run(1);
    expect(world.server.has(at('child'))).toBe(false);
    expect(world.server.has(at('grandchild'))).toBe(false);
  });

  test('a dependent stays while it has another owner, and loses the one that is gone', async () => {
    const [gone, there] = [make('gone'), make('there')];
    make('child', [referenceTo(gone), referenceTo(there)]);
    world.server.delete(at('gone'));
    await world.run(1);
    expect(ownersOf('child')).toEqual(['there']);
  });

  test('an object with an absent owner goes', async () => {
    make('child', [referenceTo({ ...make('other'), name: 'absent', uid: 'none' })]);
    await world.run(1);
    expect(world.server.has(at('child'))).toBe(false);
  });

  test('an owner of another name, namespace or life is absent', async () => {
    const owner = make('owner');
    make('by-name', [{ ...referenceTo(owner), name: 'renamed' }]);
    make('by-kind', [{ ...referenceTo(owner), kind: 'Secret' }]);
    make('by-uid', [{ ...referenceTo(owner), uid: 'earlier' }]);
    const elsewhere = '/api/v1/namespaces/elsewhere/configmaps';
    world.create(elsewhere, 'abroad', { metadata: { ownerReferences: [referenceTo(owner)] } });
    make('child', [referenceTo(owner)]);
    await world.run(1);
    const left = ['by-name', 'by-kind', 'by-uid', 'child'].filter((name) =>
      world.server.has(at(name)),
    );
    expect(left).toEqual(['child']);
    expect(world.server.has(`${elsewhere}/abroad`)).toBe(false);
  });

  test('an owner of a kind that nobody knows, or that cannot be one, keeps its dependents', async () => {
    make('child', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'a', uid: 'a' }]);
    world.create(nodePath(), 'node', {
      metadata: { ownerReferences: [referenceTo(make('owner'))] },
    });
    world.server.delete(at('owner'));
    await world.run(60);
    expect(world.server.has(at('child'))).toBe(true);
    expect(world.server.has(nodePath('node'))).toBe(true);
  });

  test('an object whose last owner reference is taken off stays', async () => {
    const owner = make('owner');
    make('child', [referenceTo(owner)]);
    world.merge(at('child'), { metadata: { ownerReferences: null } });
    world.server.delete(at('owner'));
    await world.run(60);
    expect(world.server.has(at('child'))).toBe(true);
  });
});

describe('in the foreground', () => {
  test('an owner waits for the dependents that block it, and for no others', async () => {
    const owner = make('owner');
    make('blocks', [referenceTo(owner, { blockOwnerDeletion: true })], ['example.com/held']);
    make('other', [referenceTo(owner)], ['example.com/held']);
    world.server.delete(at('owner'), { propagationPolicy: 'Foreground' });
    await world.run(1);
    expect(world.read(at('owner')).metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(world.read(at('blocks')).metadata.deletionTimestamp).toBeDefined();
    expect(world.read(at('other')).metadata.deletionTimestamp).toBeDefined();
    world.merge(at('blocks'), { metadata: { finalizers: null } });
    await world.run(1);
    expect(world.server.has(at('owner'))).toBe(false);
    expect(world.server.has(at('other'))).toBe(true);
  });

  test('a dependent with dependents of its own is deleted in the foreground too', async () => {
    const owner = make('owner');
    const child = make('child', [referenceTo(owner, { blockOwnerDeletion: true })]);
    const block = { blockOwnerDeletion: true };
    make('grandchild', [referenceTo(child, block)], ['example.com/held']);
    world.server.delete(at('owner'), { propagationPolicy: 'Foreground' });
    await world.run(1);
    expect(world.read(at('child')).metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(world.server.has(at('owner'))).toBe(true);
    world.merge(at('grandchild'), { metadata: { finalizers: null } });
    await world.run(1);
    expect(world.listOfConfigMaps()).toEqual([]);
  });

  test('a dependent that another owner keeps is taken off and stays', async () => {
    const [owner, other] = [make('owner'), make('other')];
    make('child', [referenceTo(owner, { blockOwnerDeletion: true }), referenceTo(other)]);
    world.server.delete(at('owner'), { propagationPolicy: 'Foreground' });
    await world.run(1);
    expect(world.server.has(at('owner'))).toBe(false);
    expect(ownersOf('child')).toEqual(['other']);
  });

  test('owners that wait for each other do not wait for ever', async () => {
    const [one, two] = [make('one'), make('two')];
    const block = { blockOwnerDeletion: true };
    world.merge(at('one'), { metadata: { ownerReferences: [referenceTo(two, block)] } });
    world.merge(at('two'), { metadata: { ownerReferences: [referenceTo(one, block)] } });
    world.server.delete(at('one'), { propagationPolicy: 'Foreground' });
    await world.run(1);
    expect(world.listOfConfigMaps()).toEqual([]);
  });
});

describe('with orphans', () => {
  test('dependents lose their owner and stay', async () => {
    const [owner, other] = [make('owner'), make('other')];
    make('child', [referenceTo(owner, { blockOwnerDeletion: true }), referenceTo(other)]);
    make('lone', [referenceTo(owner)]);
    world.server.delete(at('owner'), { propagationPolicy: 'Orphan' });
    expect(world.read(at('owner')).metadata.finalizers).toEqual(['orphan']);
    await world.run(60);
    expect(world.server.has(at('owner'))).toBe(false);
    expect(ownersOf('child')).toEqual(['other']);
    expect(ownersOf('lone')).toEqual([]);
  });

  test('an object that was marked for it earlier orphans its own when its owner goes', async () => {
    const owner = make('owner');
    const child = make('child', [referenceTo(owner)], ['orphan']);
    make('grandchild', [referenceTo(child)]);
    world.server.delete(at('owner'));
    await world.run(60);
    expect(world.server.has(at('child'))).toBe(false);
    expect(ownersOf('grandchild')).toEqual([]);
  });
});

describe('when it is not well', () => {
  test('it does what it missed when it goes on', async () => {
    make('child', [referenceTo(make('owner'))]);
    world.controllers.pause('garbage collector');
    world.server.delete(at('owner'));
    await world.run(600);
    expect(world.server.has(at('child'))).toBe(true);
    world.controllers.resume('garbage collector');
    await world.run(1);
    expect(world.server.has(at('child'))).toBe(false);
  });

  test('it waits for an API server that is away', async () => {
    make('child', [referenceTo(make('owner'))]);
    world.server.delete(at('owner'));
    world.cluster.isUp = false;
    await world.run(600);
    expect(world.server.has(at('child'))).toBe(true);
    world.cluster.isUp = true;
    await world.run(120);
    expect(world.server.has(at('child'))).toBe(false);
  });

  test('it sees what a restored database brought back', async () => {
    make('child', [referenceTo(make('owner'))]);
    const restore = world.server.store.backup();
    world.server.delete(at('owner'));
    await world.run(1);
    restore();
    make('another');
    await world.run(1);
    expect(world.server.has(at('child'))).toBe(true);
    world.server.delete(at('owner'));
    await world.run(1);
    expect(world.server.has(at('child'))).toBe(false);
  });

  test('it sees what a backup of a history brought back that was given up', async () => {
    const restoreOld = world.server.store.backup();
    make('child', [referenceTo(make('owner'))]);
    const restoreLater = world.server.store.backup();
    restoreOld();
    world.weather.restored('test');
    make('another');
    await world.run(1);
    restoreLater();
    world.weather.restored('test');
    await world.run(1);
    world.server.delete(at('owner'));
    await world.run(1);
    expect(world.server.has(at('child'))).toBe(false);
  });
});

test('pods of a workload go with it', async () => {
  world.addNode('node');
  world.controllers.workloads.add({ namespace: 'default', name: 'app', replicas: 2 });
  await world.run(60);
  expect(world.listOfPods()).toHaveLength(2);
  world.create(pods, 'other', { spec: { nodeName: 'node' } });
  world.controllers.workloads.remove({ namespace: 'default', name: 'app' });
  await world.run(60);
  expect(world.listOfPods().map(({ metadata }) => metadata.name)).toEqual(['other']);
});
