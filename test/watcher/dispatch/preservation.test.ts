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

const expiry = '2026-01-02T00:00:00Z';
const both = ['machineObserved machine/a', 'machinesChanged machineSet/set'];
const now = { [annotations.preserve]: 'now' };

test.each<{ name: string; from: MachineLooks; to: MachineLooks; told: string[] }>([
  { name: 'a wish is signalled to both', from: {}, to: { annotations: now }, told: both },
  { name: 'so is its end', from: { annotations: now }, to: {}, told: both },
  { name: 'an expiry', from: {}, to: { expiry }, told: both },
  {
    name: 'one that was moved',
    from: { expiry },
    to: { expiry: '2026-01-03T00:00:00Z' },
    told: both,
  },
  {
    name: 'the label force-drain of a machine that is preserved',
    from: { expiry },
    to: { expiry, labels: { 'force-drain': 'True' } },
    told: both,
  },
  {
    name: 'of another it is a label like any',
    from: {},
    to: { labels: { 'force-drain': 'True' } },
    told: both.slice(1),
  },
  {
    name: 'that its time was over concerns its set',
    from: {},
    to: { annotations: { [annotations.preservationExpired]: expiry } },
    told: both.slice(1),
  },
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
  {
    name: 'one that never was ready',
    phase: 'Pending',
    nodes: [{ isReady: false, annotations: now }],
    count: 1,
  },
  {
    name: 'another annotation',
    phase: 'Running',
    nodes: [{}, { annotations: { note: 'hello' } }],
    count: 1,
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
