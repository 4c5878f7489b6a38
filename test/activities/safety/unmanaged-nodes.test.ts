import type { KubeObject } from '../../../kube/client/client.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { markUnmanagedNodes } from '../../../activities/safety/unmanaged-nodes.ts';
import { annotations, finalizers, labels } from '../../../workflows/api/constants.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';

const check = { namespace, creationTimeoutSeconds: 1_200 };
const other = 'example.com/other';
const lost = aNode({
  metadata: { name: 'lost', finalizers: [other, finalizers.node], annotations: { own: 'x' } },
});
const joined = aMachine({ metadata: { labels: { [labels.node]: 'pool-a' } } });
const ours = { [labels.machineName]: 'pool-a' };

test('a Node without a Machine is marked and let go; the others stay as they are', async () => {
  const world = aWorld({ control: [joined], target: [lost, aNode()] });
  expect(await markUnmanagedNodes(world, check)).toEqual({
    nodes: 2,
    unmanaged: 1,
    marked: ['lost'],
    cleared: [],
    postponed: 0,
  });
  const { metadata } = await world.target.read<KubeObject>(nodePath('lost'));
  expect(metadata.annotations).toEqual({ own: 'x', [annotations.notManaged]: '1' });
  expect(metadata.finalizers).toEqual([other]);
  expect(world.target.writes()).toHaveLength(1);
  // A second run costs two lists.
  world.target.calls.length = 0;
  expect(await markUnmanagedNodes(world, check)).toMatchObject({ unmanaged: 1, marked: [] });
  expect([...world.target.calls, ...world.control.calls]).toHaveLength(3);
});

test('a Node without a Machine, annotations and finalizers is marked', async () => {
  const { finalizers: _none, ...metadata } = aNode({ metadata: { name: 'bare' } }).metadata;
  const world = aWorld({ target: [{ ...aNode(), metadata }] });
  expect(await markUnmanagedNodes(world, check)).toMatchObject({ marked: ['bare'] });
});

const nodeOfNamespace = (name: string, of: string): object =>
  aNode({ metadata: { name, annotations: { [annotations.nodeMachineNamespace]: of } } });

test('a Node whose Machine is in another namespace of a fleet is left to the check there', async () => {
  const nodes = [nodeOfNamespace('own', namespace), nodeOfNamespace('theirs', 'shoot--b')];
  const world = aWorld({ target: nodes });
  expect(await markUnmanagedNodes(world, check)).toMatchObject({ unmanaged: 1, marked: ['own'] });
  expect(world.target.writes()).toHaveLength(1);
});

test.each([
  { name: 'and its finalizer is back', metadata: { labels: ours }, left: [finalizers.node] },
  { name: 'and gets no finalizer where no Machine has joined by it', metadata: {} },
  {
    name: 'and its finalizer stays',
    metadata: { finalizers: [other, finalizers.node] },
    left: [other, finalizers.node],
  },
  {
    name: 'and it may go, where it was deleted meanwhile',
    metadata: { labels: ours, finalizers: [other], deletionTimestamp: '2026-01-01T00:00:00Z' },
    left: [other],
  },
])(
  'the mark of a Node goes when a Machine has the Node, $name',
  async ({ metadata, left = [] }) => {
    const notes = { [annotations.notManaged]: '1' };
    const world = aWorld({
      control: [joined],
      target: [aNode({ metadata: { ...metadata, annotations: notes } })],
    });
    expect(await markUnmanagedNodes(world, check)).toMatchObject({ cleared: ['pool-a'] });
    const node = await world.target.read<KubeObject>(nodePath('pool-a'));
    expect(node.metadata).not.toHaveProperty('annotations');
    expect(node.metadata.finalizers ?? []).toEqual(left);
  },
);

test('a Node that changes meanwhile waits for the next run', async () => {
  const world = aWorld({ target: [lost] });
  world.target.fault = ({ method }) => {
    if (method === 'PATCH')
      world.target.put({ ...lost, metadata: { ...lost.metadata, uid: 'new' } });
    return undefined;
  };
  expect(await markUnmanagedNodes(world, check)).toMatchObject({ marked: [], postponed: 1 });
});

const causes = [{ field: 'metadata.finalizers', message: 'is not taken' }];

test.each([
  { by: 'a webhook', fault: { code: 403, reason: 'Forbidden' } },
  { by: 'a webhook that is out of reach', fault: { code: 500, reason: 'InternalError' } },
  { by: 'its content', fault: { code: 422, reason: 'Invalid', details: { causes } } },
])('a Node that is refused by $by is said, and keeps none of the others', async ({ fault }) => {
  const world = aWorld({ target: [lost, aNode({ metadata: { name: 'also-lost' } })] });
  world.target.fault = ({ method, path }) =>
    method === 'PATCH' && path.endsWith('/lost') ? fault : undefined;
  const refused = [{ node: 'lost', message: expect.stringContaining(fault.reason) }];
  expect(await markUnmanagedNodes(world, check)).toEqual({
    nodes: 2,
    unmanaged: 2,
    marked: ['also-lost'],
    cleared: [],
    refused,
    postponed: 0,
  });
});

test('a target cluster that does not answer ends the attempt', async () => {
  const world = aWorld({ target: [lost] });
  world.target.fault = ({ method }) =>
    method === 'PATCH' ? { code: 0, reason: 'Unreachable' } : undefined;
  await expect(markUnmanagedNodes(world, check)).rejects.toThrow('Unreachable');
});

const ready = { type: 'Ready', status: 'True' };
const machineIn = (name: string, cluster: string, conditions: object[]): object => ({
  ...aMachine({ metadata: { name, annotations: { [annotations.targetCluster]: cluster } } }),
  status: { conditions },
});

test.each([
  { name: 'another cluster', also: 'ours', marked: [] },
  { name: 'another and this one', also: 'theirs', marked: ['lost'] },
])('where Machines joined $name, $marked is marked', async ({ also, marked }) => {
  const joining = machineIn('joining', 'theirs', []);
  const control = [machineIn('one', 'ours', [ready]), machineIn('two', also, [ready]), joining];
  const world = aWorld({ control, target: [lost], targetCluster: 'theirs' });
  expect(await markUnmanagedNodes(world, check)).toMatchObject({ marked });
  expect(world.target.writes()).toHaveLength(marked.length);
});
