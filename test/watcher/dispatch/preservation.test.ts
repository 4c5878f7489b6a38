/**
 * What is said of a machine's preservation reaches its workflow and its set, and what is not said
 * reaches nobody.
 */
import { annotations } from '../../../workflows/api/constants.ts';
import { Cluster } from '../cluster.ts';
import type { MachineLooks, NodeLooks } from '../objects.ts';
import { aMachine, aNode } from '../objects.ts';

let cluster: Cluster;

beforeEach(() => {
  cluster = new Cluster();
});

const machine = (looks: MachineLooks): void => cluster.machines.put(cluster.now(aMachine(looks)));
const node = (looks: NodeLooks): void => cluster.nodes.put(cluster.now(aNode(looks)));

const both = ['machineObserved machine/a', 'machinesChanged machineSet/set'];
const now = { [annotations.preserve]: 'now' };

test.each<{ name: string; from: MachineLooks; to: MachineLooks; told: string[] }>([
  { name: 'a wish is signalled to both', from: {}, to: { annotations: now }, told: both },
])('the watcher signals a change of preservation: $name', ({ from, to, told }) => {
  machine({ owner: 'set', ...from });
  cluster.told();
  machine({ owner: 'set', ...to });
  expect(cluster.told()).toEqual(told);
});

test.each<{ name: string; phase: MachineLooks['phase']; nodes: NodeLooks[]; count: number }>([
  {
    name: 'a Node that is to be preserved, and then not any more',
    phase: 'Running',
    nodes: [{}, { annotations: now }, {}],
    count: 3,
  },
])(
  'a change of a Node that is to be preserved, $name: $count signals',
  ({ phase = '', nodes, count }) => {
    machine({ node: 'node-a', phase });
    cluster.told();
    nodes.forEach(node);
    expect(cluster.told()).toEqual(Array(count).fill('nodeObserved machine/a'));
  },
);

test('snapshots hold the preservation annotations, and nothing where there is none', () => {
  machine({ node: 'node-a', phase: 'Running' });
  node({});
  for (const { payload } of cluster.signals()) {
    expect(payload).not.toHaveProperty('preservation');
    expect(payload).not.toHaveProperty('preserve');
  }
  machine({ node: 'node-a', phase: 'Running', annotations: now });
  node({ annotations: { [annotations.preserve]: 'false' } });
  const [first, , last] = cluster.signals();
  expect(first).toMatchObject({ payload: { preservation: { preserve: 'now' } } });
  expect(last).toMatchObject({ payload: { preserve: 'false' } });
});
