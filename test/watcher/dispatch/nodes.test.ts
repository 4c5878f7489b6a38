import { annotations, finalizers, labels, taints } from '../../../workflows/api/constants.ts';
import { Cluster } from '../cluster.ts';
import { aMachine, aNode } from '../objects.ts';
import type { MachineLooks, NodeLooks } from '../objects.ts';

let cluster: Cluster;

beforeEach(() => {
  cluster = new Cluster();
});

const machine = (looks: MachineLooks): void => cluster.machines.put(cluster.now(aMachine(looks)));
const node = (looks: NodeLooks): void => cluster.nodes.put(cluster.now(aNode(looks)));

/** As a Machine writes it, in one patch. */
const naming = (namespace: string) => ({
  annotations: { [annotations.nodeMachineNamespace]: namespace },
  labels: { [labels.machineName]: 'a' },
  finalizers: [finalizers.node],
});

const marks = { [labels.candidateForUpdate]: 'true', [labels.selectedForUpdate]: 'true' };

describe('a Node', () => {
  test.each<{ name: string; phase: MachineLooks['phase']; nodes: NodeLooks[]; count: number }>([
    { name: 'heartbeats', phase: 'Running', nodes: [{}, { heartbeat: '1' }], count: 1 },

    { name: 'joined', phase: 'Pending', nodes: [{ isReady: false }, {}], count: 2 },
    { name: 'lost again at once', phase: 'Pending', nodes: [{}, { isReady: false }], count: 2 },

    {
      name: 'waiting for critical components',
      phase: 'Pending',
      nodes: [{ taint: taints.criticalComponentsNotReady }, {}],
      count: 2,
    },
    {
      name: 'of another instance by now',
      phase: 'Running',
      nodes: [{}, { providerID: 'local:///a/2' }],
      count: 2,
    },
    {
      name: 'that is to be updated in place, and whose agent says why it failed',
      phase: 'Running',
      nodes: [
        { labels: { [labels.candidateForUpdate]: 'true' } },
        { labels: marks },
        { labels: { ...marks, [labels.updateResult]: 'failed' } },
        {
          labels: { ...marks, [labels.updateResult]: 'failed' },
          annotations: { [annotations.updateFailedReason]: 'no disk' },
        },
      ],
      count: 4,
    },
    {
      name: 'with another label',
      phase: 'Running',
      nodes: [{ labels: marks }, { labels: { ...marks, zone: 'a' } }],
      count: 1,
    },
    {
      name: 'that begins to be deleted',
      phase: 'Running',
      nodes: [{}, { isDeleting: true }],
      count: 2,
    },
  ])('$name: $count signals', ({ phase = '', nodes, count }) => {
    machine({ node: 'node-a', phase });
    cluster.told();
    nodes.forEach(node);
    expect(cluster.told()).toEqual(Array(count).fill('nodeObserved machine/a'));
  });

  test('a Node that joins, is lost and goes says nothing to a machine that is being deleted', () => {
    machine({ node: 'node-a', phase: 'Terminating', isDeleting: true, hasFinalizer: true });
    cluster.told();
    for (const looks of [{}, { isReady: false }, { isDeleting: true }]) node(looks);
    cluster.nodes.remove(cluster.now(aNode()));
    expect(cluster.told()).toEqual([]);
  });

  test('a Node that vanished is signalled with its last state', () => {
    machine({ node: 'node-a', phase: 'Running' });
    node({});
    cluster.signals();
    cluster.nodes.remove(cluster.now(aNode()));
    expect(cluster.signals()).toMatchObject([
      { name: 'nodeObserved', payload: { exists: false, uid: 'uid-node-a', name: 'node-a' } },
    ]);
  });

  test('is said to be of others where it names another namespace, and so is one that comes to', () => {
    machine({ node: 'node-a', phase: 'Running' });
    for (const looks of [{}, naming('default'), naming('other')]) node(looks);
    const said = cluster.signals().filter(({ name }) => name === 'nodeObserved');
    expect(said.map(({ payload }) => Object(payload).isOfOthers)).toEqual([undefined, true]);
  });

  test('is said to be stripped when others take something away, and whole again without a word', () => {
    const note = { [annotations.lastAppliedNodeTemplate]: '{"metadata":{},"spec":{}}' };
    const equipped = { annotations: note, labels: { [labels.machineName]: 'a' } };
    const whole = { ...equipped, finalizers: [finalizers.node] };
    machine({ node: 'node-a', phase: 'Running' });
    for (const looks of [whole, equipped, { ...equipped, heartbeat: '1' }, whole]) node(looks);
    const said = cluster.signals().filter(({ name }) => name === 'nodeObserved');
    expect(said.map(({ payload }) => Object(payload).isStripped)).toEqual([undefined, true]);
  });

  test('that has a successor by now, which was listed before its end was heard of, is no news', () => {
    machine({ node: 'node-a', phase: 'Pending' });
    const before = cluster.now(aNode({ uid: 'uid-before' }));
    cluster.told();
    node({});
    expect(cluster.told()).toEqual(['nodeObserved machine/a']);
    cluster.nodes.remove(before);
    expect(cluster.told()).toEqual([]);
  });
});
