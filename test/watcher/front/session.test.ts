/** Which MachineDeployments the front hears of, from its first lists on. */
import { pino } from 'pino';
import type { KubeObject } from '../../../kube/client/client.ts';
import { recorderOf } from '../../../kube/objects/events.ts';
import { FrontSession } from '../../../watcher/front/session.ts';
import { front, kubermaticAnnotations } from '../../../workflows/api/kubermatic-names.ts';
import { eventually } from '../../support/eventually.ts';
import { anObject, FrontClusters, ourGroup, theirGroup } from './clusters.ts';

const mirror = { annotations: { [front.mirrorOf]: 'uid' } };

function theirs(): KubeObject[] {
  return [
    anObject(theirGroup, 'MachineDeployment', { name: 'pool' }),
    anObject(theirGroup, 'MachineSet', { name: 'pool-a', owner: ['MachineDeployment', 'pool'] }),
    anObject(theirGroup, 'Machine', { name: 'pool-a-1', owner: ['MachineSet', 'pool-a'] }),
  ];
}

function ours(): KubeObject[] {
  const labels = { node: 'node-1' };
  return [
    anObject(ourGroup, 'MachineDeployment', { name: 'pool', ...mirror }),
    anObject(ourGroup, 'MachineSet', { name: 'pool-a', owner: ['MachineDeployment', 'pool'] }),
    anObject(ourGroup, 'Machine', { name: 'pool-a-1', owner: ['MachineSet', 'pool-a'], labels }),
  ];
}

let clusters: FrontClusters;
let session: FrontSession;
let signals: string[];
let send: (pool: string) => Promise<void>;

beforeEach(() => {
  clusters = new FrontClusters();
  signals = [];
  send = async () => undefined;
});
afterEach(() => session.stop());

async function lead(...objects: KubeObject[]): Promise<void> {
  clusters.put(...objects);
  const { client } = clusters;
  session = new FrontSession({
    control: client,
    target: client,
    namespace: 'shoot',
    async signal(pool, { mayStart, ofNodes }) {
      await send(pool);
      signals.push(`${pool}${mayStart ? '' : ' if it runs'}${ofNodes ? ', Nodes' : ''}`);
    },
    log: pino({ level: 'silent' }),
  });
  const fault = clusters.isServed ? undefined : 'the CRDs of cluster.k8s.io are awaited';
  await eventually('all is listed', async () => session.whyNotReady() === fault);
  await untilQuiet();
}

const untilQuiet = () =>
  eventually('nothing is pending', async () => session.oldestPendingSeconds() === 0);

/** Signals of what `change` does. */
async function heardOf(change: () => void): Promise<string[]> {
  signals = [];
  change();
  // What comes last shows that all before it was taken in.
  clusters.put(
    anObject(theirGroup, 'MachineDeployment', { name: 'last', spec: { at: Date.now() } }),
  );
  await eventually('the last', async () => signals.includes('last'));
  await untilQuiet();
  return signals.filter((pool) => pool !== 'last');
}

test('all of theirs is heard of at the start, and what has none of theirs is left alone', async () => {
  const native = anObject(ourGroup, 'MachineDeployment', { name: 'native' });
  const left = anObject(ourGroup, 'MachineDeployment', { name: 'left-over', ...mirror });
  await lead(...theirs(), ...ours(), native, left);
  expect(signals.toSorted()).toEqual(['left-over', 'pool']);
});

const changes: [what: string, change: () => void, heard: string[]][] = [
  [
    'a scaled MachineDeployment',
    () => clusters.put(anObject(theirGroup, 'MachineDeployment', { name: 'pool', spec: { n: 2 } })),
    ['pool'],
  ],
  [
    'a status that the front wrote itself',
    () =>
      clusters.put(anObject(theirGroup, 'MachineDeployment', { name: 'pool', status: { n: 2 } })),
    [],
  ],
  [
    'a mark on their Machine',
    () =>
      clusters.put(
        anObject(theirGroup, 'Machine', {
          name: 'pool-a-1',
          owner: ['MachineSet', 'pool-a'],
          annotations: { [kubermaticAnnotations.deleteMachine]: 'yes' },
        }),
      ),
    ['pool'],
  ],
  [
    'our Machine, whose status is shown',
    () =>
      clusters.put(
        anObject(ourGroup, 'Machine', { name: 'pool-a-1', owner: ['MachineSet', 'pool-a'] }),
      ),
    ['pool'],
  ],
  [
    'our set that goes',
    () => clusters.remove(anObject(ourGroup, 'MachineSet', { name: 'pool-a' })),
    ['pool'],
  ],
  [
    'a Machine whose set is gone',
    () => {
      clusters.remove(anObject(theirGroup, 'MachineSet', { name: 'pool-a' }));
      clusters.remove(anObject(theirGroup, 'Machine', { name: 'pool-a-1' }));
    },
    ['pool'],
  ],
  [
    'a Node that is not to be drained',
    () =>
      clusters.put(
        anObject('', 'Node', {
          name: 'node-1',
          annotations: { [kubermaticAnnotations.skipEviction]: 'true' },
        }),
      ),
    ['pool, Nodes'],
  ],
  ['a Node of nobody', () => clusters.put(anObject('', 'Node', { name: 'node-2' })), []],
  [
    'a pool of our own',
    () => clusters.put(anObject(ourGroup, 'MachineDeployment', { name: 'native' })),
    [],
  ],
  [
    'the end of both, which starts no run',
    () => {
      clusters.remove(anObject(ourGroup, 'MachineDeployment', { name: 'pool' }));
      clusters.remove(anObject(theirGroup, 'MachineDeployment', { name: 'pool' }));
    },
    ['pool if it runs'],
  ],
];

test.each(changes)('%s', async (_what, change, heard) => {
  await lead(...theirs(), ...ours());
  expect(await heardOf(change)).toEqual(heard);
});

test('a Node that is to be drained again', async () => {
  const annotations = { [kubermaticAnnotations.skipEviction]: '' };
  await lead(...theirs(), ...ours(), anObject('', 'Node', { name: 'node-1', annotations }));
  expect(await heardOf(() => clusters.put(anObject('', 'Node', { name: 'node-1' })))).toEqual([
    'pool, Nodes',
  ]);
});

test('a signal that does not arrive is sent again, and news that come meanwhile are one more', async () => {
  const refused = ['pool', 'pool'];
  send = async () => {
    if (refused.pop() !== undefined) throw new Error('Temporal is away');
  };
  await lead(...theirs(), ...ours());
  expect(refused).toEqual([]);
  expect(signals).toEqual(['pool']);
});

test('what has no MachineDeployment is told once that it is not served', async () => {
  const alone = anObject(theirGroup, 'Machine', { name: 'alone' });
  const set = anObject(theirGroup, 'MachineSet', { name: 'set' });
  const ofTheirController = anObject(theirGroup, 'Machine', {
    name: 'theirs',
    finalizers: ['machine-delete-finalizer'],
  });
  const leaving = anObject(theirGroup, 'Machine', { name: 'leaving', isDeleting: true });
  await lead(...theirs(), alone, set, ofTheirController, leaving);
  await heardOf(() =>
    clusters.put({ ...alone, metadata: { ...alone.metadata, labels: { a: 'b' } } }),
  );
  await recorderOf(clusters.client).close(60_000);
  const told = clusters.created.map((event) => Reflect.get(event, 'involvedObject').name);
  expect(told).toHaveLength(2);
  expect(new Set(told)).toEqual(new Set(['alone', 'set']));
});

test('without the CRDs only mirrors of ours are heard of', async () => {
  clusters.isServed = false;
  await lead(...ours());
  expect(signals).toEqual(['pool']);
});
