import { recordJoined } from '../../../activities/machine/join.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { customResource, namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import type { JoinRequest } from '../../../workflows/contracts/node-activities.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const path = customResource('machines', namespace, 'pool-a');
const { uid } = aNode().metadata;
const label = 'node.gardener.cloud/machine-name';
const providerID = 'local:///zone-1/i-1';
const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };

const request: JoinRequest = {
  machine: lifeOf('pool-a'),
  node: { name: 'pool-a', uid },
  providerID,
  className: 'small',
  nodeTemplate: { labels: { pool: 'a' }, annotations: { note: 'b' }, taints: [taint] },
};

function worldWith(node: Partial<Parameters<typeof aNode>[0]> = {}) {
  return aWorld({ control: [aMachine({ phase: 'Pending' })], target: [aNode(node)] });
}

test('the Node gets what its machine says of it, and the machine runs', async () => {
  const world = worldWith({
    metadata: { finalizers: ['example.com/other'], labels: { own: 'x' } },
  });
  expect(await recordJoined(world, request)).toEqual({ hasJoined: true, isApplied: true });
  const node = await world.target.read<Node>(nodePath('pool-a'));
  expect(node.metadata).toMatchObject({
    finalizers: ['example.com/other', 'node.machine.sapcloud.io/machine-controller'],
    labels: { own: 'x', pool: 'a', 'node.gardener.cloud/machine-name': 'pool-a' },
    annotations: {
      note: 'b',
      'machine.sapcloud.io/machine': 'pool-a',
      'machine.sapcloud.io/cluster-namespace': namespace,
      'node.machine.sapcloud.io/last-applied-anno-labels-taints': JSON.stringify({
        metadata: { labels: { pool: 'a' }, annotations: { note: 'b' } },
        spec: { taints: [taint] },
      }),
    },
  });
  expect(node.spec?.taints).toEqual([taint]);
  expect((await world.control.read<Machine>(path)).status).toMatchObject({
    conditions: [{ type: 'Ready', status: 'True' }],
    currentStatus: { phase: 'Running' },
    nodeRef: { kind: 'Node', name: 'pool-a' },
    lastOperation: { state: 'Successful', type: 'Create' },
  });
});

test.each([
  { code: 403, reason: 'Forbidden' },
  { code: 0, reason: 'Unreachable' },
])(
  'a bootstrap token that cannot be deleted undoes no join, and is said: $reason',
  async (fault) => {
    const world = worldWith();
    world.target.fault = ({ path: asked }) => (asked.includes('/secrets/') ? fault : undefined);
    const asked = { ...request, bootstrapTokenId: 'abc123' };
    expect(await recordJoined(world, asked)).toEqual({ hasJoined: true, isApplied: true });
    const { items } = await world.control.list<{ message: string }>(
      namespaced('events', namespace),
    );
    expect(items).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('abc123 ends by itself') }),
    );
  },
);

test('a join that is late does not undo that a check found the machine ill', async () => {
  const world = worldWith();
  world.control.fault = (call) => {
    if (call.path === `${path}/status`) world.control.put(aMachine({ phase: 'Unknown' }));
    return undefined;
  };
  await expect(recordJoined(world, request)).rejects.toThrow('changed while it joined');
  const { status } = await world.control.read<Machine>(path);
  expect(status?.currentStatus?.phase).toBe('Unknown');
});

/** With labels and annotations, as from each kubelet. */
function registered(node: Partial<Parameters<typeof aNode>[0]> = {}) {
  const metadata = {
    labels: { 'kubernetes.io/hostname': 'pool-a' },
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
  };
  const target = aNode({ metadata, spec: { providerID, taints: [taint] }, ...node });
  return aWorld({ control: [aMachine({ phase: 'Pending' })], target: [target] });
}

test.each([
  { name: 'without a providerID', spec: {} },
  { name: 'of another instance', spec: { providerID: 'x' } },
])('a Node $name that was there before the machine is no way to join', async ({ spec }) => {
  const node = aNode({ spec, metadata: { creationTimestamp: '2020-01-01T00:00:00Z' } });
  const world = worldWith(node);
  const reason = expect.stringContaining('so Machine pool-a cannot join by it');
  const outcome = await recordJoined(world, request);
  expect(outcome).toEqual({ hasJoined: false, reason, isContested: true });
  const { metadata } = await world.target.read<Node>(nodePath('pool-a'));
  expect(metadata).not.toHaveProperty('labels');
  const { status } = await world.control.read<Machine>(path);
  expect(status?.lastOperation?.description).toEqual(reason);
});

describe('a Node as its kubelet registers it', () => {
  test('is written once and not read', async () => {
    const world = registered();
    expect(await recordJoined(world, request)).toEqual({ hasJoined: true, isApplied: true });
    expect(world.target.calls).toEqual([`PATCH ${nodePath('pool-a')}`]);
  });

  test('without its taints gets them in a second write', async () => {
    const world = registered({ spec: { providerID } });
    await recordJoined(world, request);
    expect((await world.target.read<Node>(nodePath('pool-a'))).spec?.taints).toEqual([taint]);
    expect(world.target.calls).toHaveLength(2);
  });

  test('a Node as its kubelet registers it that has something of an earlier application loses it', async () => {
    const last = JSON.stringify({ metadata: { labels: { old: 'x' } }, spec: {} });
    const annotations = { 'node.machine.sapcloud.io/last-applied-anno-labels-taints': last };
    const world = registered({ metadata: { annotations, labels: { old: 'x', own: 'y' } } });
    await recordJoined(world, request);
    const { labels } = (await world.target.read<Node>(nodePath('pool-a'))).metadata;
    expect(labels).toEqual({ own: 'y', pool: 'a', [label]: 'pool-a' });
  });
});

describe('a Node that names another Machine', () => {
  const node = { metadata: { labels: { [label]: 'pool-b' } } };

  test.each([
    { name: 'that is gone', others: [] },
    { name: 'that has another Node', others: [{ node: 'node-b' }] },
  ])('$name is taken over', async ({ others }) => {
    const control = others.map((labels) => aMachine({ metadata: { name: 'pool-b', labels } }));
    const world = aWorld({ control: [aMachine(), ...control], target: [aNode(node)] });
    expect(await recordJoined(world, request)).toEqual({ hasJoined: true, isApplied: true });
    const { labels } = (await world.target.read<Node>(nodePath('pool-a'))).metadata;
    expect(labels?.[label]).toBe('pool-a');
  });

  test('the Machine that has the Node makes no other machine Running, and an Event says so', async () => {
    const rival = aMachine({ metadata: { name: 'pool-b', labels: { node: 'pool-a' } } });
    const world = aWorld({
      control: [aMachine({ phase: 'Pending' }), rival],
      target: [aNode(node)],
    });
    const reason = expect.stringContaining('Node pool-a is that of Machine pool-b');
    const outcome = await recordJoined(world, request);
    expect(outcome).toEqual({ hasJoined: false, reason, isContested: true });
    expect((await world.control.read<Machine>(path)).status).toMatchObject({
      currentStatus: { phase: 'Pending' },
      lastOperation: { description: reason, state: 'Failed' },
    });
    const { metadata } = await world.target.read<Node>(nodePath('pool-a'));
    expect(metadata).not.toHaveProperty('finalizers');
    expect(world.control.writes()).toContain(`POST ${namespaced('events', namespace)}`);
  });
});

const critical = 'node.gardener.cloud/critical-components-not-ready';

test.each<{ name: string; node: Partial<Parameters<typeof aNode>[0]>; reason: string }>([
  {
    name: 'critical components',
    node: { spec: { taints: [{ key: critical, effect: 'NoSchedule' }] } },
    reason: `the Node has the taint ${critical}`,
  },
  { name: 'another Node', node: { metadata: { uid: 'uid-2' } }, reason: 'the Node is gone' },
  { name: 'gone', node: { metadata: { name: 'pool-b' } }, reason: 'the Node is gone' },
  {
    name: 'not Ready any more',
    node: { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    reason: 'the Node is not Ready',
  },
])('does not join: $name', async ({ node, reason }) => {
  const world = worldWith(node);
  expect(await recordJoined(world, request)).toEqual({ hasJoined: false, reason });
  expect(world.control.writes()).toEqual([]);
});
