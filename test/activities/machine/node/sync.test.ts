import { syncNode } from '../../../../activities/machine/node/sync.ts';
import type { Node } from '../../../../kube/objects/nodes.ts';
import { customResource, namespaced, node as nodePath } from '../../../../kube/client/paths.ts';
import type { NodeSyncRequest } from '../../../../workflows/contracts/node-activities.ts';
import { annotations, finalizers, labels } from '../../../../workflows/api/constants.ts';
import type { Machine } from '../../../../workflows/api/machine.ts';
import type { Fault } from '../../../support/api-server/in-memory-client.ts';
import { aMachine, aMachineClass, aNode, namespace } from '../../../support/builders.ts';
import type { WorldOfTests } from '../../../support/world.ts';
import { aWorld, lifeOf } from '../../../support/world.ts';

const path = nodePath('pool-a');
const events = namespaced('events', namespace);
const classPath = customResource('machineclasses', namespace, 'small');
const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const foreign = { key: 'other', effect: 'NoExecute' };
const { lastAppliedNodeTemplate, lastAppliedVirtualCapacity } = annotations;

const request: NodeSyncRequest = {
  machine: lifeOf('pool-a'),
  instance: { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' },
  className: 'small',
  nodeTemplate: { labels: { 'example.com/pool': 'a' }, taints: [taint] },
};

const nodeTemplate = { capacity: {}, instanceType: 's', region: 'r', zone: 'z' };

function worldWith(
  node: Parameters<typeof aNode>[0] = {},
  virtualCapacity?: Record<string, number | string>,
): WorldOfTests {
  const machineClass = aMachineClass({
    nodeTemplate: { ...nodeTemplate, ...(virtualCapacity && { virtualCapacity }) },
  });
  return aWorld({ control: [aMachine({ phase: 'Running' }), machineClass], target: [aNode(node)] });
}

async function conditionsOf({ control }: WorldOfTests): Promise<unknown> {
  const machine = customResource('machines', namespace, 'pool-a');
  return (await control.read<Machine>(machine)).status?.conditions;
}

async function eventsOf({ control }: WorldOfTests): Promise<string[]> {
  const { items } = await control.list<{ reason: string }>(events);
  return items.map(({ reason }) => reason);
}

test('a Node that lacks something gets it in one write; what others wrote stays', async () => {
  const world = worldWith({
    metadata: { labels: { own: 'x' }, finalizers: ['example.com/other'] },
    spec: { providerID: 'local:///zone-1/i-1', taints: [foreign] },
  });
  await syncNode(world, request);
  const { metadata, spec } = await world.target.read<Node>(path);
  expect(metadata).toMatchObject({
    labels: { own: 'x', 'example.com/pool': 'a', [labels.machineName]: 'pool-a' },
    finalizers: ['example.com/other', finalizers.node],
  });
  expect(spec?.taints).toEqual([foreign, taint]);
  expect(world.target.writes()).toHaveLength(1);
});

test('syncNode removes from a Node what its template names no more', async () => {
  const world = worldWith({ metadata: { labels: { own: 'x' } } });
  expect(await syncNode(world, request)).toEqual({ isApplied: true });
  const { nodeTemplate: applied = {}, ...without } = request;
  await syncNode(world, { ...without, applied });
  const { metadata, spec } = await world.target.read<Node>(path);
  expect(metadata.labels).toEqual({ own: 'x', [labels.machineName]: 'pool-a' });
  expect(spec?.taints).toEqual([]);
  expect(metadata.annotations?.[lastAppliedNodeTemplate]).toBe('{"metadata":{},"spec":{}}');
});

test('what the kubelet of a Node says of taints and labels that others put there takes none of them off', async () => {
  const tier = 'node-restriction.kubernetes.io/tier';
  const spec = { providerID: request.instance.providerID, taints: [foreign, taint] };
  const labelled = { [tier]: 'x', [labels.machineName]: 'pool-a' };
  const note = JSON.stringify({ metadata: { labels: labelled }, spec: { taints: [foreign] } });
  for (const applied of [{}, undefined]) {
    const metadata = { labels: labelled, annotations: { [lastAppliedNodeTemplate]: note } };
    const world = worldWith({ metadata, spec });
    await syncNode(world, { ...request, ...(applied && { applied }) });
    const node = await world.target.read<Node>(path);
    expect(node.spec?.taints).toEqual([foreign, taint]);
    expect(node.metadata.labels).toHaveProperty([tier]);
    expect(await eventsOf(world)).toEqual(applied ? [] : ['TaintsKept']);
  }
});

test.each<{ name: string; node: Parameters<typeof aNode>[0] }>([
  { name: 'of another instance', node: { spec: { providerID: 'local:///zone-1/i-2' } } },
  { name: 'that is being deleted', node: { metadata: { deletionTimestamp: 'now' } } },
  { name: 'of another name', node: { metadata: { name: 'pool-b' } } },
])('a Node $name is left alone', async ({ node }) => {
  const world = worldWith(node, { 'example.com/a': '1' });
  await syncNode(world, request);
  expect(world.target.writes()).toEqual([]);
});

test('a taint that another writer adds meanwhile is not lost', async () => {
  const world = worldWith();
  let isFirst = true;
  world.target.fault = ({ method }) => {
    if (method === 'PATCH' && isFirst) {
      isFirst = false;
      world.target.put(aNode({ spec: { providerID: 'local:///zone-1/i-1', taints: [foreign] } }));
    }
    return undefined;
  };
  await syncNode(world, request);
  expect((await world.target.read<Node>(path)).spec?.taints).toEqual([foreign, taint]);
});

test('an unreadable last-applied annotation is reported in an Event and written anew', async () => {
  const world = worldWith({
    metadata: { labels: { own: 'x' }, annotations: { [lastAppliedNodeTemplate]: 'nonsense' } },
  });
  await syncNode(world, request);
  expect(await eventsOf(world)).toEqual(['LastAppliedCorrupt']);
  const { labels: names, annotations: notes } = (await world.target.read<Node>(path)).metadata;
  expect(names).toMatchObject({ own: 'x', 'example.com/pool': 'a' });
  expect(notes?.[lastAppliedNodeTemplate]).toContain('example.com/pool');
});

const refusing =
  (word: string): Fault =>
  ({ method, path: where, body }) =>
    method === 'PATCH' && `${where} ${JSON.stringify(body)}`.includes(word)
      ? {
          code: 422,
          reason: 'Invalid',
          message: 'not so',
          details: { causes: [{ field: 'metadata.labels', message: 'not so' }] },
        }
      : undefined;

test('a template that the API server refuses is said in an Event; the machine has its name all the same', async () => {
  const world = worldWith();
  world.target.fault = refusing('example.com~1pool');
  expect(await syncNode(world, request)).toEqual({});
  expect(await eventsOf(world)).toEqual(['NodeTemplateRefused']);
  const { metadata } = await world.target.read<Node>(path);
  expect(metadata.labels).toEqual({ [labels.machineName]: 'pool-a' });
  expect(metadata.finalizers).toEqual([finalizers.node]);
});

describe('virtual capacity', () => {
  test('comes into the status before its note', async () => {
    const world = worldWith({}, { 'example.com/a': 3 });
    await syncNode(world, request);
    const { metadata, status } = await world.target.read<Node>(path);
    expect(status?.capacity).toEqual({ 'example.com/a': '3' });
    expect(metadata.annotations?.[lastAppliedVirtualCapacity]).toBe('{"example.com/a":"3"}');
    expect(world.target.writes()).toEqual([`PATCH ${path}/status`, `PATCH ${path}`]);
  });

  test('of a class that changed is read as it is now', async () => {
    const world = worldWith({}, { 'example.com/a': 3 });
    await syncNode(world, request);
    const changed = await world.control.patch<Node>(classPath, 'merge', {
      nodeTemplate: { virtualCapacity: null },
    });
    await syncNode(world, { ...request, classAtLeast: changed.metadata.resourceVersion });
    const { metadata, status } = await world.target.read<Node>(path);
    expect(status?.capacity).toEqual({});
    expect(metadata.annotations).not.toHaveProperty([lastAppliedVirtualCapacity]);
  });

  test('virtual capacity that the API server refuses is said in an Event and noted nowhere', async () => {
    const world = worldWith({}, { nonsense: 'x' });
    world.target.fault = refusing('/status');
    await syncNode(world, request);
    expect(await eventsOf(world)).toEqual(['VirtualCapacityRefused']);
    const { metadata } = await world.target.read<Node>(path);
    expect(metadata.annotations).not.toHaveProperty([lastAppliedVirtualCapacity]);
    expect(metadata.labels).toHaveProperty([labels.machineName]);
  });
});

describe('a Node that joins', () => {
  const joining = { uid: 'uid-of-pool-a', isFresh: true };
  const ready = { type: 'Ready', status: 'False', reason: 'KubeletNotReady' } as const;

  function pendingWith(node: Parameters<typeof aNode>[0] = {}): WorldOfTests {
    return aWorld({
      control: [aMachine({ phase: 'Pending' }), aMachineClass()],
      target: [aNode({ status: { conditions: [ready] }, ...node })],
    });
  }

  test('gets template, name and finalizer before it is Ready, and its conditions are shown on the Machine', async () => {
    const world = pendingWith();
    await syncNode(world, { ...request, joining });
    const { metadata, spec } = await world.target.read<Node>(path);
    expect(metadata).toMatchObject({
      labels: { 'example.com/pool': 'a', [labels.machineName]: 'pool-a' },
      finalizers: [finalizers.node],
    });
    expect(spec?.taints).toEqual([taint]);
    expect(await conditionsOf(world)).toMatchObject([ready, { type: 'Reconciling' }]);
  });

  test('is not written again while nothing changes, and neither is its Machine', async () => {
    const world = pendingWith();
    await syncNode(world, { ...request, joining });
    const before = [world.control, world.target].map((client) => client.writes().length);
    await syncNode(world, { ...request, joining: { ...joining, isFresh: false } });
    const after = [world.control, world.target].map((client) => client.writes().length);
    expect(after).toEqual(before);
  });

  test('and is Ready by then leaves its conditions to the join that follows', async () => {
    const isReady = { type: 'Ready', status: 'True', reason: 'KubeletReady' } as const;
    const full = { type: 'DiskFull', status: 'True', reason: 'Full' } as const;
    const conditions = [isReady, full];
    const world = pendingWith({ status: { conditions } });
    await syncNode(world, { ...request, joining });
    expect(world.control.writes()).toEqual([]);
    await syncNode(world, { ...request, joining: { ...joining, nodeConditions: ['DiskFull'] } });
    expect(await conditionsOf(world)).toMatchObject([...conditions, { type: 'Reconciling' }]);
  });

  test('of another instance gives nothing to the Machine, and gets nothing of it', async () => {
    const world = pendingWith({ spec: { providerID: 'local:///zone-1/i-2' } });
    await syncNode(world, { ...request, joining: { ...joining, isFresh: false } });
    expect([...world.control.writes(), ...world.target.writes()]).toEqual([]);
  });

  test('a Node that has joined leaves the conditions to the health checks', async () => {
    const world = pendingWith();
    await syncNode(world, request);
    expect(await conditionsOf(world)).toBeUndefined();
  });
});
