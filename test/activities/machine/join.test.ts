import { describe, expect, test } from '@jest/globals';
import { recordJoined } from '../../../activities/machine/join.ts';
import type { Node } from '../../../activities/machine/node.ts';
import { customResource, namespaced, node as nodePath } from '../../../activities/kube/paths.ts';
import type { JoinRequest } from '../../../workflows/activities.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const path = customResource('machines', namespace, 'pool-a');
const { uid } = aNode().metadata;
const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };

const request: JoinRequest = {
  machine: lifeOf('pool-a'),
  node: { name: 'pool-a', uid },
  className: 'small',
  nodeTemplate: { labels: { pool: 'a' }, annotations: { note: 'b' }, taints: [taint] },
  isFirstJoin: true,
};

function worldWith(node: Partial<Parameters<typeof aNode>[0]> = {}) {
  return aWorld({ control: [aMachine({ phase: 'Pending' })], target: [aNode(node)] });
}

test('the Node gets what its machine says of it, and the machine runs', async () => {
  const world = worldWith({
    metadata: { finalizers: ['example.com/other'], labels: { own: 'x' } },
  });
  expect(await recordJoined(world, request)).toEqual({ hasJoined: true });
  const node = await world.target.read<Node>(nodePath('pool-a'));
  expect(node.metadata).toMatchObject({
    finalizers: ['example.com/other', 'node.machine.sapcloud.io/machine-controller'],
    labels: { own: 'x', pool: 'a', 'node.gardener.cloud/machine-name': 'pool-a' },
    annotations: {
      note: 'b',
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
    lastOperation: { state: 'Successful', type: 'Create' },
  });
});

test('all of it is one write', async () => {
  const world = worldWith();
  await recordJoined(world, request);
  expect(world.target.writes()).toHaveLength(1);
});

const label = 'node.gardener.cloud/machine-name';

describe('a Node that names another Machine', () => {
  const node = { metadata: { labels: { [label]: 'pool-b' } } };

  test.each([
    { name: 'that is gone', others: [] },
    { name: 'that has another Node', others: [{ node: 'node-b' }] },
  ])('$name is taken over', async ({ others }) => {
    const control = others.map((labels) => aMachine({ metadata: { name: 'pool-b', labels } }));
    const world = aWorld({ control: [aMachine(), ...control], target: [aNode(node)] });
    expect(await recordJoined(world, request)).toEqual({ hasJoined: true });
    const { labels } = (await world.target.read<Node>(nodePath('pool-a'))).metadata;
    expect(labels?.[label]).toBe('pool-a');
  });

  test('that has it makes no other machine Running; it is said', async () => {
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
    expect(world.target.writes()).toEqual([]);
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
