import { findProvider } from '../../../activities/machine/read-and-claim.ts';
import { recordFailure } from '../../../activities/machine/record.ts';
import {
  beginTeardown,
  beginWithDrain,
  finishTeardown,
} from '../../../activities/machine/teardown.ts';
import { finalizers, labels } from '../../../workflows/api/constants.ts';
import { customResource, node as nodePath } from '../../../kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aMachineClass, aNode, aSecret, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const deletionTimestamp = '2026-01-01T01:00:00Z';
const deleted = aMachine({ metadata: { deletionTimestamp } });
const ours = { machine, nodeName: 'pool-a', providerID: 'local:///zone-1/i-1' };

test('a teardown begins with the phase Terminating, and returns the provider of the class', async () => {
  const world = aWorld({ control: [deleted, aMachineClass(), aSecret()] });
  expect(await beginTeardown(world, { machine })).toMatchObject({
    machine: { isDeleting: true, hasFinalizer: true, provider: 'virtual' },
  });
  expect((await world.control.read<Machine>(path)).status?.currentStatus?.phase).toBe(
    'Terminating',
  );
});

test.each([
  { provider: 'virtual', hasExternalDriver: undefined },
  { provider: 'acme', hasExternalDriver: true },
])('whether its driver sees the Machine: $provider', async ({ provider, hasExternalDriver }) => {
  const control = [deleted, aMachineClass({ provider }), aSecret()];
  const world = aWorld({ control, hasDriver: async () => true });
  const { machine: found } = await beginTeardown(world, { machine });
  expect(found?.hasExternalDriver).toBe(hasExternalDriver);
  expect(await findProvider(world, { className: 'small' })).toEqual({
    found: true,
    provider,
    ...(hasExternalDriver && { hasExternalDriver }),
  });
});

test('a teardown whose option is misspelt says so', async () => {
  const notes = { 'millwright.dev/skip-drian': 'true', 'millwright.dev/drain-until': 'x' };
  const object = aMachine({ metadata: { deletionTimestamp, annotations: notes } });
  const world = aWorld({ control: [object, aMachineClass(), aSecret()] });
  await beginTeardown(world, { machine });
  expect(world.control.bodies).toContainEqual(
    expect.objectContaining({
      type: 'Warning',
      reason: 'UnknownAnnotation',
      message:
        'annotation "millwright.dev/skip-drian" means nothing: did you mean millwright.dev/skip-drain?',
    }),
  );
});

describe('a drain that begins the teardown', () => {
  test('says Terminating, once', async () => {
    const world = aWorld({ control: [deleted] });
    const said = await beginWithDrain(world, machine);
    expect(said?.status?.currentStatus?.phase).toBe('Terminating');
    expect(await beginWithDrain(world, machine)).toEqual(said);
    expect(world.control.writes().filter((write) => write.includes('/status'))).toHaveLength(1);
  });

  test.each([
    ['is gone', []],
    ['is another one', [aMachine({ metadata: { deletionTimestamp, uid: 'uid-of-another' } })]],
    ['is not being deleted', [aMachine()]],
    ['has lost its finalizer', [aMachine({ metadata: { deletionTimestamp, finalizers: [] } })]],
  ])('leaves a Machine alone that %s', async (_what, control) => {
    const world = aWorld({ control });
    expect(await beginWithDrain(world, machine)).toBeUndefined();
    expect(world.control.writes()).toEqual([]);
  });
});

describe("of two Machines with one instance, whose driver is another's,", () => {
  const older = '2026-01-01T00:00:00Z';
  const younger = '2026-01-01T00:30:00Z';
  const spec = { ...aMachine().spec, providerID: 'acme:///i-1' };
  test.each([
    { what: 'the copy goes alone', provider: 'acme', own: younger, other: older, heldBy: 'pool-b' },
    {
      what: 'of one age the first by name takes it along',
      provider: 'acme',
      own: older,
      other: older,
    },
    { what: 'the first takes it along', provider: 'acme', own: older, other: younger },
    { what: 'one of ours asks itself', provider: 'virtual', own: younger, other: older },
  ])('$what', async ({ provider, own, other, heldBy }) => {
    const copy = aMachine({ metadata: { deletionTimestamp, creationTimestamp: own }, spec });
    const original = aMachine({ metadata: { name: 'pool-b', creationTimestamp: other }, spec });
    const control = [copy, original, aMachineClass({ provider }), aSecret()];
    const world = { ...aWorld({ control }), hasDriver: async () => true };
    const { heldBy: holder } = await beginTeardown(world, { machine });
    expect(holder).toBe(heldBy);
    const { status } = await world.control.read<Machine>(path);
    const says = heldBy === undefined ? 'first its Node is drained' : `as Machine ${heldBy} has it`;
    expect(status?.lastOperation?.description).toContain(says);
  });
});

test('the beginning of a teardown returns no provider when the class is gone', async () => {
  const { machine: prepared } = await beginTeardown(aWorld({ control: [deleted] }), { machine });
  expect(prepared).toBeDefined();
  expect(prepared).not.toHaveProperty('provider');
});

test('the beginning of a teardown returns no provider for a class with a Secret of another namespace: a machine without an instance can go', async () => {
  const foreign = aMachineClass({ secretRef: { name: 'small-secret', namespace: 'garden' } });
  const world = aWorld({ control: [deleted, foreign, aSecret()] });
  const { machine: prepared } = await beginTeardown(world, { machine });
  expect(prepared).toBeDefined();
  expect(prepared).not.toHaveProperty('provider');
});

test('the teardown of a Machine takes nothing of one of the same name with another UID, and leaves it', async () => {
  const world = aWorld({ control: [aMachine({ metadata: { uid: 'uid-2' } })] });
  expect(await beginTeardown(world, { machine })).toEqual({});
  await finishTeardown(world, ours);
  expect(world.control.has(path)).toBe(true);
});

test('a Machine whose deletion was undone, by an etcd that was restored, is not called Terminating: its set would make another one', async () => {
  const world = aWorld({ control: [aMachine({ phase: 'Running' })] });
  expect(await beginTeardown(world, { machine })).toMatchObject({ machine: { isDeleting: false } });
  const failure = { code: 'Internal', message: 'no', isSettled: true } as const;
  await recordFailure(world, {
    machine,
    failure,
    operation: 'Delete',
    phase: 'Terminating',
    createGeneration: 0,
  });
  const { status } = await world.control.read<Machine>(path);
  expect(status?.currentStatus?.phase).toBe('Running');
});

test('a teardown ends with the Node and, last of all, the finalizer', async () => {
  const metadata = { finalizers: [finalizers.node] };
  const world = aWorld({ control: [deleted], target: [aNode({ metadata })] });
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
  const silent = { type: 'Ready', status: 'Unknown' } as const;
  const status = { conditions: [silent] };
  const world = aWorld({ control: [deleted], target: [aNode({ spec: anotherInstance, status })] });
  await finishTeardown(world, known);
  expect(world.target.has(nodePath('pool-a'))).toBe(false);
});

describe('a Node that no Machine made', () => {
  const old = { creationTimestamp: '2020-01-01T00:00:00Z' };
  const mute = { spec: {}, metadata: old };
  const labelled = { labels: { [labels.machineName]: 'pool-a' } };

  test.each([
    { what: 'and that says no instance stays', node: mute },
    { what: 'stays where the Machine alone says its instance', isUnproven: true },
    {
      what: 'stays where it has the name of a Machine',
      known: {},
      node: { spec: anotherInstance },
    },
    { what: 'but another attempt at a Machine goes', node: { spec: {} }, isGone: true },
    {
      what: 'but this Machine, by its label, goes',
      node: { ...mute, metadata: { ...old, ...labelled } },
      isUnproven: true,
      isGone: true,
    },
    { what: 'but that it has joined by goes', node: mute, nodeUid: 'uid-of-pool-a', isGone: true },
  ])('$what', async ({ node, known = ours, isGone = false, isUnproven, nodeUid }) => {
    const named = { ...deleted.metadata, labels: { [labels.node]: 'pool-a' } };
    const control = [{ ...deleted, metadata: named }];
    const world = aWorld({ control, target: [aNode(node)] });
    const told = { machine, ...known, ...(nodeUid && { nodeUid }) };
    await finishTeardown(world, { ...told, ...(isUnproven && { isUnproven }) });
    expect(world.target.has(nodePath('pool-a'))).toBe(!isGone);
    expect(world.target.writes().length > 0).toBe(isGone);
  });
});

test.each([
  { what: 'is waited for while its kubelet speaks', isLeft: true },
  { what: 'is left in the end', mayLeaveNode: true },
  { what: 'is left at once where no cloud had an instance', isUnproven: true },
])('a Node that may be of an instance that was deleted unnamed $what', async (row) => {
  const { what: _what, isLeft = false, ...known } = row;
  const world = aWorld({ control: [deleted], target: [aNode({ spec: anotherInstance })] });
  const failure = await finishTeardown(world, { machine, ...known });
  expect(failure?.during).toBe(isLeft ? 'nodeDeletion' : undefined);
  expect(world.control.has(path)).toBe(isLeft);
  expect(world.target.writes()).toEqual([]);
});

test('without a known instance an older Node of the name is spared', async () => {
  const metadata = { creationTimestamp: '2020-01-01T00:00:00Z' };
  const world = aWorld({ control: [deleted], target: [aNode({ metadata })] });
  await finishTeardown(world, { machine });
  expect(world.target.writes()).toEqual([]);
});

const { providerID } = ours;
const old = { creationTimestamp: '2020-01-01T00:00:00Z' };
const other = { name: 'pool-b', labels: { [labels.node]: 'pool-a' } };

test.each([
  { what: 'goes where it is of its instance', isLeft: false },
  { what: 'is spared where it is of another instance', node: { spec: anotherInstance } },
  { what: 'is spared where it says no instance', node: { spec: { providerID: '' } } },
  { what: 'is spared where another machine has it', labels: { [labels.machineName]: 'pool-b' } },
])('an old Node that a machine does not name $what', async (row) => {
  const metadata = { ...old, ...(row.labels && { labels: row.labels }) };
  const node = aNode({ spec: { providerID }, ...row.node, metadata });
  const world = aWorld({ control: [deleted, aMachine({ metadata: other })], target: [node] });
  await finishTeardown(world, { machine, providerID });
  expect(world.target.has(nodePath('pool-a'))).toBe(row.isLeft ?? true);
  expect(world.control.has(path)).toBe(false);
});

test('a Machine whose deletion was undone after its instance went keeps the finalizer, and its workflow hears of it', async () => {
  const world = aWorld({ control: [aMachine()], target: [] });
  expect(await finishTeardown(world, ours)).toMatchObject({
    code: 'Aborted',
    message: 'its deletion was undone: etcd was restored',
  });
  expect((await world.control.read<Machine>(path)).metadata.finalizers).toEqual([
    finalizers.machine,
  ]);
});

test('a finalizer that a webhook keeps on the Machine is a failure that names it', async () => {
  const world = aWorld({ control: [deleted], target: [] });
  world.control.fault = ({ method, path: at }) =>
    method === 'PATCH' && at === path ? { code: 403, reason: 'Forbidden' } : undefined;
  expect(await finishTeardown(world, ours)).toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringContaining(`the finalizer ${finalizers.machine} could not be removed: `),
  });
  expect(world.control.has(path)).toBe(true);
});

test('so is one that stays because a webhook is out of reach, which is asked twice', async () => {
  const world = aWorld({ control: [deleted], target: [] });
  let patches = 0;
  world.control.fault = ({ method, path: at }) => {
    if (method !== 'PATCH' || at !== path) return undefined;
    patches += 1;
    return { code: 500, reason: 'InternalError', message: 'failed calling webhook' };
  };
  expect(await finishTeardown(world, ours)).toMatchObject({
    code: 'Internal',
    message: expect.stringMatching(/^the finalizer .* could not be removed: .*failed calling/),
    isSettled: true,
  });
  expect(patches).toBe(2);
});

const nodeNotDeleted = (reason: string): string =>
  `Deletion of Node Object "pool-a" failed due to error: DELETE /api/v1/nodes/pool-a: 500 ${reason}: ${reason}. Initiate node object deletion`;

test('a Node that cannot be deleted is said on the Machine as MCM says it, once until the error changes', async () => {
  const world = aWorld({ control: [deleted], target: [aNode()] });
  const descriptions: string[] = [];
  for (const reason of ['InternalError', 'InternalError', 'OtherError']) {
    world.target.fault = ({ method }) => (method === 'DELETE' ? { code: 500, reason } : undefined);
    const failure = await finishTeardown(world, ours);
    if (!failure) throw new Error('the Node was deleted');
    const report = { machine, failure, operation: 'Delete', phase: 'Terminating' } as const;
    await recordFailure(world, { ...report, createGeneration: 0 });
    const { status } = await world.control.read<Machine>(path);
    expect(status?.lastOperation).toMatchObject({ state: 'Failed', type: 'Delete' });
    descriptions.push(status?.lastOperation?.description ?? '');
  }
  expect(descriptions).toEqual(
    ['InternalError', 'InternalError', 'OtherError'].map(nodeNotDeleted),
  );
  const writes = world.control.writes().filter((call) => call === `PATCH ${path}/status`);
  expect(writes).toHaveLength(2);
});

test('a bootstrap token that cannot be deleted is not said to be the Node', async () => {
  const world = aWorld({ control: [deleted], target: [aNode()] });
  world.target.fault = ({ path: asked }) =>
    asked.includes('/secrets/') ? { code: 403, reason: 'Forbidden' } : undefined;
  expect(await finishTeardown(world, { ...ours, bootstrapTokenId: 'abcdef' })).toMatchObject({
    message: expect.stringMatching(/^Deletion of the bootstrap token failed/),
  });
  expect(world.target.has(nodePath('pool-a'))).toBe(false);
});

test('a Node that took the name between the two writes is spared', async () => {
  const node = aNode({ metadata: { uid: 'node-1' } });
  const world = aWorld({ control: [deleted], target: [node] });
  world.target.fault = ({ method }) => {
    const metadata = { uid: 'node-2', creationTimestamp: '2020-01-01T00:00:00Z' };
    const next = aNode({ metadata, spec: anotherInstance });
    if (method === 'DELETE') world.target.put(next);
    return undefined;
  };
  await finishTeardown(world, { ...ours, nodeUid: 'node-1' });
  expect(await world.target.read(nodePath('pool-a'))).toMatchObject({
    metadata: { uid: 'node-2' },
  });
});

test('a known Node goes by its UID, and one that another machine has is spared', async () => {
  const own = aNode({ metadata: { uid: 'node-1', finalizers: [finalizers.node] } });
  const world = aWorld({ control: [deleted], target: [own] });
  await finishTeardown(world, { ...ours, nodeUid: 'node-1' });
  expect(world.target.has(nodePath('pool-a'))).toBe(false);
  expect(world.target.bodies).toContainEqual({ preconditions: { uid: 'node-1' } });

  const rival = aMachine({ metadata: { name: 'pool-b', labels: { [labels.node]: 'pool-a' } } });
  const claimed = aNode({ metadata: { labels: { [labels.machineName]: 'pool-b' } } });
  const rivals = aWorld({ control: [deleted, rival], target: [claimed] });
  await finishTeardown(rivals, ours);
  expect(rivals.target.writes()).toEqual([]);
});

function unreachable() {
  const world = aWorld({ control: [deleted] });
  world.target.fault = () => ({ code: 0, reason: 'Unreachable' });
  return world;
}

describe('a target cluster that does not answer', () => {
  test('keeps no machine that never joined from going, after some tries', async () => {
    const world = unreachable();
    const bootstrapTokenId = 'abc123';
    const input = { ...ours, bootstrapTokenId, mayLeaveNode: true };
    expect(await finishTeardown(world, input)).toBeUndefined();
    expect(world.control.has(path)).toBe(false);
  });

  test('keeps the object of a machine that had joined, and the failure says so', async () => {
    const world = unreachable();
    expect(await finishTeardown(world, ours)).toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('Unreachable'),
    });
    expect(world.control.has(path)).toBe(true);
  });
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

describe('a teardown that was asked for by hand', () => {
  const node = aNode({
    metadata: { name: 'pool-b', uid: 'node-b', labels: { [labels.machineName]: 'pool-b' } },
    spec: { providerID: 'b' },
  });
  const owner = aMachine({
    metadata: { name: 'pool-b', uid: 'uid-b', labels: { node: 'pool-b' } },
    spec: { providerID: 'b' },
  });
  const input = { nodeName: 'pool-b', nodeUid: 'node-b', providerID: 'b' };

  test.each([
    ['of a Machine that lives', { name: 'pool-b', uid: 'uid-b' }],
    ['of a Machine that is not there', { name: 'no-such', uid: 'uid-9' }],
    ['of another Machine, which goes', { name: 'pool-a', uid: deleted.metadata.uid }],
  ])('does not delete the Node %s', async (_what, ref) => {
    const world = aWorld({ control: [deleted, owner, aMachineClass()], target: [node] });
    await finishTeardown(world, { machine: { ...machine, ...ref }, ...input });
    expect(world.target.has(nodePath('pool-b'))).toBe(true);
    expect(world.control.has(customResource('machines', machine.namespace, 'pool-b'))).toBe(true);
  });
});
