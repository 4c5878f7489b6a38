/** Whose a MachineDeployment is, and what is refused. */
import { recorderOf } from '../../../kube/objects/events.ts';
import { front } from '../../../workflows/api/kubermatic-names.ts';
import type { WrittenKind } from '../../../workflows/plan/front/writes.ts';
import { instancesOf, PoolWorld } from './pool-world.ts';
import { anOldPool, aTheirDeployment, namespace, pool } from './their-objects.ts';

const handBack = { metadata: { annotations: { [front.handBack]: 'true' } } };

async function servedOf(world: PoolWorld) {
  const { status } = await world.get('theirDeployment');
  return status?.conditions?.find(({ type }) => type === 'Served');
}

test('what machine-controller serves is left alone, and says how to change that', async () => {
  const world = new PoolWorld(anOldPool());
  expect(await world.settle()).toMatchObject({ state: 'notServed' });
  expect(world.api.writes()).toEqual([expect.stringContaining('/machinedeployments/pool/status')]);
  expect(await servedOf(world)).toMatchObject({
    status: 'False',
    message: expect.stringContaining('millwright migrate take-over --from kubermatic'),
  });
});

test('a MachineDeployment of ours of that name is not touched', async () => {
  const world = new PoolWorld();
  world.api.put({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineDeployment',
    metadata: { name: pool, namespace, annotations: { [front.mirrorOf]: 'uid-of-another' } },
    spec: {},
  });
  expect(await world.sync()).toMatchObject({ state: 'notServed', writes: 1 });
  expect(await servedOf(world)).toMatchObject({ reason: 'NameTaken' });
  const { uid } = (await world.get('theirDeployment')).metadata;
  await world.patch('deployment', pool, { metadata: { annotations: { [front.mirrorOf]: uid } } });
  expect(await world.settle()).toMatchObject({ state: 'current' });
  expect(await world.names('theirMachine')).toHaveLength(2);
});

test('while machine-controller holds its Lease nothing new is served', async () => {
  const world = new PoolWorld();
  world.api.put({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'machine-controller', namespace },
    spec: { holderIdentity: 'theirs', leaseDurationSeconds: 3_600 },
  });
  expect(await world.settle()).toMatchObject({ state: 'waits' });
  expect(await servedOf(world)).toMatchObject({ reason: 'MachineControllerRuns' });
  expect(await world.names('deployment')).toEqual([]);
  await world.api.patch(
    `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/machine-controller`,
    'merge',
    { spec: { holderIdentity: '' } },
  );
  expect(await world.settle()).toMatchObject({ state: 'current' });
});

test.each<[string, (objects: object[]) => void, RegExp]>([
  [
    'a Machine without an instance',
    (all) => delete specOf(all, 'pool-new-1').providerID,
    /its instance is not known/,
  ],
  [
    'a set that cannot be said',
    (all) => (valueOf(all).cloudProvider = 'external'),
    /cannot be translated/,
  ],
])('%s is not taken over, and nothing is', async (_name, change, reason) => {
  const objects = anOldPool({ isTakenOver: true });
  change(objects);
  const world = new PoolWorld(objects);
  expect(await world.settle()).toMatchObject({
    state: 'waits',
    reason: expect.stringMatching(reason),
  });
  expect(world.api.writes()).toHaveLength(1);
});

function named(objects: object[], name: string) {
  return Object(objects.find((object) => Object(object).metadata.name === name));
}

const specOf = (objects: object[], name: string) => named(objects, name).spec;
const valueOf = (objects: object[]) => specOf(objects, 'pool-new').template.spec.providerSpec.value;

test('a Machine that is being deleted is taken over, and its deletion goes on', async () => {
  const world = new PoolWorld(anOldPool({ isTakenOver: true }));
  await world.delete('theirMachine', 'pool-new-1');
  await world.settle();
  expect(await instancesOf(world)).not.toContain('virtual:///pool-new-1');
  expect(await world.names('theirMachine')).toHaveLength(2);
  expect(await world.names('theirMachine')).toContain('pool-new-0');
  await world.delete('theirDeployment');
  expect(await world.settle()).toMatchObject({ state: 'gone' });
});

test('a hand-back leaves each instance, and waits for one that is being made', async () => {
  const world = new PoolWorld();
  await world.settle();
  const before = await instancesOf(world);
  await world.patch('theirDeployment', pool, { spec: { replicas: 3 } });
  await world.sync();
  await world.act();
  const young = (await world.all('machine')).find(({ status }) => !status);
  await world.patch('theirDeployment', pool, handBack);
  const deleted: string[] = [];
  world.api.fault = ({ method, path }) => {
    if (method === 'DELETE' && path.includes('/machines/')) deleted.push(path);
    return undefined;
  };
  expect(await world.settle()).toMatchObject({ state: 'notServed' });
  expect(await instancesOf(world)).toEqual(expect.arrayContaining(before));
  expect(young === undefined || (await instancesOf(world)).length === 3).toBe(true);
  expect(deleted).toHaveLength(3);
  for (const kind of ['deployment', 'set', 'machine', 'class', 'secret'] as const) {
    expect(await world.names(kind)).toEqual([]);
  }
  for (const { metadata } of await world.all('theirMachine')) {
    expect(metadata.finalizers).toEqual([
      'machine-delete-finalizer',
      'machine-node-delete-finalizer',
    ]);
  }
  expect((await world.get('theirDeployment')).metadata.finalizers).toBeUndefined();
});

test.each([true, false])(
  'a deletion with --cascade=orphan leaves machines, though its end is seen alone: %s',
  async (isOver) => {
    const world = new PoolWorld();
    await world.settle();
    await world.delete('theirDeployment', pool, { propagationPolicy: 'Orphan' });
    for (const name of await world.names('theirSet')) {
      await world.patch('theirSet', name, { metadata: { ownerReferences: null } });
    }
    const finalizers = [front.finalizer];
    if (isOver) await world.patch('theirDeployment', pool, { metadata: { finalizers } });
    await world.settle();
    expect(await world.names('machine')).toHaveLength(2);
    expect(await world.names('class')).toHaveLength(1);
    for (const kind of ['theirSet', 'theirMachine'] as const) {
      for (const { metadata } of await world.all(kind)) expect(metadata.finalizers).toBeUndefined();
    }
    expect(await world.names('theirDeployment')).toHaveLength(isOver ? 0 : 1);
  },
);

test('a set that is deleted with --cascade=orphan leaves its machines to the next one', async () => {
  const world = new PoolWorld();
  await world.settle();
  const before = await instancesOf(world);
  const [name = ''] = await world.names('theirSet');
  await world.delete('theirSet', name, { propagationPolicy: 'Orphan' });
  for (const machine of await world.names('theirMachine')) {
    await world.patch('theirMachine', machine, { metadata: { ownerReferences: null } });
  }
  await world.patch('theirSet', name, { metadata: { finalizers: [front.finalizer] } });
  await world.settle();
  expect(await instancesOf(world)).toEqual(before);
  const [set] = await world.all('theirSet');
  for (const { metadata } of await world.all('theirMachine')) {
    expect(metadata.ownerReferences).toMatchObject([{ uid: set?.metadata.uid }]);
  }
});

test('a deletion while ours is half made makes an end of it', async () => {
  const world = new PoolWorld();
  await world.sync();
  await world.delete('theirDeployment');
  expect(await world.settle()).toMatchObject({ state: 'gone' });
  expect(await world.names('deployment')).toEqual([]);
  expect(await world.names('class')).toEqual([]);
});

/** By a webhook; what it says of theirs may hold credentials, and is not passed on. */
test.each<[WrittenKind, string, RegExp]>([
  ['class', '/machineclasses', /refused to create class .*denied/],
  [
    'theirMachine',
    '/cluster.k8s.io/v1alpha1/namespaces/kube-system/machines',
    /machine.cluster.k8s.io .*: 403 Forbidden$/m,
  ],
  ['secret', '/api/v1/namespaces/kube-system/secrets', /secret .*: 403 Forbidden$/m],
])('a refused %s is said, and holds up no other group', async (_kind, part, reason) => {
  const world = new PoolWorld([aTheirDeployment()]);
  let isRefusing = true;
  world.api.fault = ({ method, path }) =>
    isRefusing && method === 'POST' && path.endsWith(part)
      ? { code: 403, reason: 'Forbidden', message: 'a webhook denied it: token s3cret' }
      : undefined;
  await world.sync();
  await world.act();
  const outcome = await world.sync();
  await world.act();
  const last = await world.sync();
  expect(last).toMatchObject({ state: 'waits', reason: expect.stringMatching(reason) });
  await recorderOf(world.api).idle();
  const { items } = await world.api.list<{ reason: string; message: string }>(
    `/api/v1/namespaces/${namespace}/events`,
  );
  const events = items.map(({ reason: why, message }) => ({ why, message }));
  expect(events).toContainEqual({ why: 'WriteRefused', message: expect.stringMatching(reason) });
  const isTold = JSON.stringify([outcome, last, events]).includes('s3cret');
  expect(isTold).toBe(part === '/machineclasses');
  isRefusing = false;
  expect(await world.settle()).toMatchObject({ state: 'current' });
  expect(await world.names('theirMachine')).toHaveLength(2);
});

test('a label that a person takes off our Machine loses no mirror', async () => {
  const world = new PoolWorld();
  await world.settle();
  const [name = ''] = await world.names('machine');
  const labels = { 'machine-template-hash': null };
  await world.patch('machine', name, { metadata: { labels, ownerReferences: null } });
  await world.settle();
  expect(await world.names('machine')).toContain(name);
  expect(await world.names('theirMachine')).toContain(name);
  await world.delete('theirMachine', name);
  await world.settle();
  expect(await world.names('machine')).not.toContain(name);
  expect(await world.names('theirMachine')).toEqual(await world.names('machine'));
});
