/** Sets of theirs that a person deletes, and what becomes of their machines. */
import { front } from '../../../workflows/api/kubermatic-names.ts';
import { PoolWorld } from './pool-world.ts';
import { aTheirDeployment, aTheirTemplate, pool } from './their-objects.ts';

const hashLabel = 'machine-template-hash';

async function aServedPool(): Promise<PoolWorld> {
  const world = new PoolWorld();
  await world.settle();
  return world;
}

/** As the garbage collector does, before any pass reads: the deletion does not show it any more. */
async function letGo(world: PoolWorld, kind: 'theirSet' | 'theirMachine'): Promise<void> {
  for (const name of await world.names(kind)) {
    await world.patch(kind, name, { metadata: { ownerReferences: null } });
  }
}

async function uidOfTheirs(world: PoolWorld): Promise<string> {
  const [set] = await world.all('theirSet');
  return set?.metadata.uid ?? '';
}

test('a set is deleted once, however soon there is another of its name', async () => {
  const world = await aServedPool();
  const before = await world.names('machine');
  const uid = await uidOfTheirs(world);
  await world.delete('theirSet', (await world.names('theirSet'))[0]);
  await world.sync();
  // Until its machines are gone, and again until the core has made another.
  for (let turns = 0; turns < 4; turns += 1) await world.act();
  const after = await world.names('machine');
  await world.settle();
  expect(await world.names('machine')).toEqual(after);
  expect(after).toHaveLength(2);
  expect(world.core.made.length).toBe(before.length + after.length);
  expect(await world.names('theirMachine')).toEqual(after);
  expect(await uidOfTheirs(world)).not.toBe(uid);
});

test('a set that lets its machines go is made again, and has them', async () => {
  const world = await aServedPool();
  const uid = await uidOfTheirs(world);
  await world.delete('theirSet', (await world.names('theirSet'))[0]);
  await letGo(world, 'theirMachine');
  await world.settle();
  expect(world.core.made).toHaveLength(2);
  expect(await world.names('theirMachine')).toEqual(world.core.made);
  const next = await uidOfTheirs(world);
  expect(next).not.toBe(uid);
  for (const { metadata } of await world.all('theirMachine')) {
    expect(metadata.ownerReferences).toEqual([expect.objectContaining({ uid: next })]);
  }
});

test('a deployment that lets its machines go is taken up by another of its name', async () => {
  const world = await aServedPool();
  await world.delete('theirDeployment');
  await letGo(world, 'theirSet');
  expect(await world.settle()).toMatchObject({ state: 'gone' });
  expect(await world.names('machine')).toEqual(world.core.made);
  expect((await world.all('theirMachine')).map(({ metadata }) => metadata.finalizers)).toEqual(
    world.core.made.map(() => undefined),
  );
  await world.api.create(
    '/apis/cluster.k8s.io/v1alpha1/namespaces/kube-system/machinedeployments',
    aTheirDeployment(),
  );
  expect(await world.settle()).toMatchObject({ state: 'current' });
  expect(world.core.made).toHaveLength(2);
  const { uid } = (await world.get('theirDeployment')).metadata;
  for (const { metadata } of await world.all('theirSet')) {
    expect(metadata.ownerReferences).toEqual([expect.objectContaining({ uid })]);
    expect(metadata.finalizers).toEqual([front.finalizer]);
  }
});

test('a class that our deployment asks for stays while the next template is faulty', async () => {
  const world = await aServedPool();
  await world.patch('theirDeployment', pool, {
    spec: { paused: true, template: aTheirTemplate({ caPublicKey: 'two' }) },
  });
  await world.sync();
  await world.patch('theirDeployment', pool, {
    spec: { template: aTheirTemplate({ cloudProvider: 'hetzer' }) },
  });
  await world.sync();
  const asked = (await world.get('deployment')).spec.template.spec?.class?.name ?? '';
  expect(await world.names('class')).toContain(asked);
});

test('machines that their set let go outlast their deployment', async () => {
  const world = await aServedPool();
  const [set] = await world.all('set');
  const [first = ''] = world.core.made;
  for (const kind of ['machine', 'theirMachine'] as const) {
    const metadata = { ownerReferences: null, labels: { [hashLabel]: 'none' } };
    await world.patch(kind, first, { metadata });
  }
  await world.settle();
  expect(set?.spec.replicas).toBe(2);
  await world.delete('theirDeployment');
  expect(await world.settle()).toMatchObject({ state: 'gone' });
  expect(await world.names('machine')).toEqual([first]);
  expect(await world.names('theirMachine')).toEqual([first]);
});

test('a set whose finalizer a person removes is made again, and owns what was its own', async () => {
  const world = await aServedPool();
  const [set = ''] = await world.names('theirSet');
  await world.patch('theirSet', set, { metadata: { finalizers: null } });
  await world.delete('theirSet', set);
  await world.settle();
  const uid = await uidOfTheirs(world);
  const owners = (await world.all('theirMachine')).map(({ metadata }) => metadata.ownerReferences);
  expect(owners).toEqual([[expect.objectContaining({ uid })], [expect.objectContaining({ uid })]]);
  expect(world.core.made).toHaveLength(2);
});
