import { KubeError } from '../../kube/client/errors.ts';
import type { Signal } from '../../watcher/dispatch/signal.ts';
import { kindOfDoubt } from '../../watcher/doubt.ts';
import { LeaderSession } from '../../watcher/leader-session.ts';
import type { LeaderSessionOptions } from '../../watcher/leader-session.ts';
import { resources } from '../../watcher/cache/views.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { aDisruptionPolicy, aMachineClass } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClusters } from './fake-clusters.ts';
import { HandClock, settled } from './queue/hand-clock.ts';
import { aMachine, aMachineDeployment, aNode } from './objects.ts';

let clusters: FakeClusters;
let clock: HandClock;
let delivered: Signal[];
let tenure: LeaderSession | undefined;

beforeEach(() => {
  clusters = new FakeClusters();
  clock = new HandClock();
  delivered = [];
});

afterEach(async () => {
  for (const resource of ['machines', 'nodes']) clusters.open(resource);
  await tenure?.stop();
});

function lead(options: Partial<LeaderSessionOptions> = {}): void {
  tenure = new LeaderSession({
    control: clusters.client,
    target: clusters.client,
    namespace: 'default',
    cluster: 'c',
    epoch: 7,
    checkpoint: {},
    clock,
    concurrency: 64,
    deliver(signal) {
      delivered.push(signal);
      return Promise.resolve('sent');
    },
    onWatchError: fail,
    onDeliveryError: fail,
    onDoubt: fail,
    ...options,
  });
}

function fail(error: unknown): never {
  throw error;
}

async function leadOn(client: InMemoryClient): Promise<void> {
  lead({ control: client, target: undefined });
  await eventually('synced', () => tenure?.isSynced === true);
  await passes();
}

/** Lets lists come in and signals leave. */
async function passes(milliseconds = 2_000): Promise<void> {
  for (let round = 0; round < 5; round += 1) await settled();
  await clock.turn(milliseconds);
}

const told = (): string[] => delivered.map(({ name, object }) => `${name} ${object}`);

/** Everything up to here was told by the watcher before. */
const checkpointAt = (version: string) =>
  Object.fromEntries(resources.map((resource) => [resource, version]));

describe('a Node that turned Ready while no watcher was there', () => {
  const joining = { name: 'm', node: 'n', phase: 'Pending' } as const;

  /** `n` was Ready before the Machine got its label `node`. */
  function put(machineVersion: string, phase: 'Pending' | 'Running' = 'Pending'): void {
    clusters.lists.set('machines', [
      aMachine({ ...joining, phase, resourceVersion: machineVersion }),
    ]);
    clusters.lists.set('nodes', [aNode({ name: 'n', resourceVersion: '120' })]);
  }

  test.each(['machines'])(
    'is signalled to its Machine, which changed meanwhile, when the list of %s comes last',
    async (last) => {
      put('200');
      clusters.hold(last);
      lead({ checkpoint: checkpointAt('150') });
      await passes();
      clusters.open(last);
      await passes();
      expect(told()).toContain('machineObserved m');
      expect(told().filter((line) => line === 'nodeObserved m')).toHaveLength(1);
    },
  );

  test.each(['machines', 'nodes'])(
    'is signalled to its Machine, which did not change, when the list of %s comes last',
    async (last) => {
      put('100');
      clusters.hold(last);
      lead({ checkpoint: checkpointAt('150') });
      await passes();
      clusters.open(last);
      await passes();
      expect(told()).toEqual(['nodeObserved m']);
    },
  );

  test('is signalled to a Machine that has joined and changed before the list of Nodes was in', async () => {
    put('200', 'Running');
    clusters.hold('nodes');
    lead({ checkpoint: checkpointAt('150') });
    await passes();
    clusters.open('nodes');
    await passes();
    expect(told()).toEqual(['machineObserved m', 'nodeObserved m']);
    expect(tenure?.checkpoint()).toMatchObject({ machines: '150', nodes: '150' });
  });

  test('is signalled to no Machine that has joined and did not change', async () => {
    put('100', 'Running');
    lead({ checkpoint: checkpointAt('150') });
    await passes();
    expect(told()).toEqual([]);
  });
});

describe('what was signalled before', () => {
  let doubts: string[];

  beforeEach(() => {
    doubts = [];
    clusters.lists.set('machinedeployments', [aMachineDeployment()]);
  });

  const onDoubt = (reason: string): void => {
    doubts.push(reason);
  };

  test('is in doubt when a cluster is at an older state than the checkpoint', async () => {
    lead({ checkpoint: { ...checkpointAt('150'), nodes: '700' }, onDoubt });
    await passes();
    expect(doubts).toEqual(['/api/v1/nodes: the server is at 500 and was at 700: it was restored']);
    expect(doubts.map(kindOfDoubt)).toEqual(['restored']);
  });

  test('is in doubt for another reason when that is a cluster of the Nodes alone', async () => {
    const target = { ...clusters.client };
    const checkpoint = { ...checkpointAt('150'), nodes: '700' };
    lead({ target, targetCluster: 't', checkpoint, onDoubt });
    await passes();
    expect(doubts).toEqual([
      'target cluster: /api/v1/nodes: the server is at 500 and was at 700: it was restored',
    ]);
    expect(doubts.map(kindOfDoubt)).toEqual(['target']);
  });

  test('is in doubt as of one cluster where two kubeconfigs name it', async () => {
    const target = { ...clusters.client };
    const checkpoint = { ...checkpointAt('150'), nodes: '700' };
    lead({ target, targetCluster: 'c', checkpoint, onDoubt });
    await passes();
    expect(doubts.map(kindOfDoubt)).toEqual(['restored']);
  });

  test('is in doubt when the server has forgotten which sets went since the checkpoint', async () => {
    const failure = { code: 410, reason: 'Expired', message: 'too old', method: 'GET', path: '' };
    clusters.brokenWatches.set('machinesets', new KubeError(failure));
    lead({ checkpoint: checkpointAt('150'), onDoubt, onWatchError: () => undefined });
    await eventually('the doubt', () => doubts.length > 0);
    expect(doubts[0]).toContain('machinesets: the server has forgotten what came after 150');
    expect(doubts.map(kindOfDoubt)).toEqual(['forgotten']);
  });

  test('is in no doubt at a first start', async () => {
    lead({ onDoubt });
    await passes();
    expect(doubts).toEqual([]);
    expect(told()).toEqual(['machineDeploymentObserved a']);
  });
});

describe('readiness', () => {
  test('names the resources whose lists are not in', async () => {
    clusters.hold('nodes');
    lead();
    await passes();
    expect(tenure?.whyNotReady()).toBe('lists or watches fail: nodes');
    clusters.open('nodes');
    await passes();
    expect(tenure?.whyNotReady()).toBeUndefined();
  });
});

describe('DisruptionPolicies', () => {
  const { metadata, ...deployment } = aMachineDeployment({ name: 'pool' });
  const policy = aDisruptionPolicy({ metadata: { namespace: 'default' } });

  function withPolicies(policies: DisruptionPolicy[]): InMemoryClient {
    const spec = { ...deployment.spec, replicas: 3 };
    const rolling = { ...deployment, metadata: { ...metadata, namespace: 'default' }, spec };
    return new InMemoryClient(rolling, ...policies);
  }

  test('that are not served hold up nothing, and are not among what is watched', async () => {
    await leadOn(withPolicies([]));
    expect(tenure?.isSynced).toBe(true);
    expect(tenure?.whyNotReady()).toBeUndefined();
    expect([...(tenure?.view().sources.keys() ?? [])]).not.toContain('disruptionPolicies');
    expect(tenure?.checkpoint()).not.toHaveProperty('disruptionPolicies');
  });

  test('that are served are told to deployments, and are in the checkpoint', async () => {
    const client = withPolicies([policy]);
    await leadOn(client);
    expect(told()).toContain('machineSetsChanged pool');
    expect([...(tenure?.view().sources.keys() ?? [])]).toContain('disruptionPolicies');
    expect(tenure?.checkpoint()).toHaveProperty('disruptionPolicies');
    delivered = [];
    client.put({ ...policy, spec: { surge: 1 } });
    await passes();
    expect(told()).toEqual(['machineSetsChanged pool']);
  });
});

const isWatched = (): boolean => tenure?.view().sources.has('configMaps') ?? false;

const asked = (client: InMemoryClient): string[] =>
  client.calls.filter((call) => call.includes('configmaps'));

const asking = (notes: Record<string, string>): object =>
  aMachineClass({ metadata: { namespace: 'default', annotations: notes } });

describe('ConfigMaps', () => {
  const pool = { kind: 'ConfigMap', metadata: { name: 'pool', namespace: 'default' } };
  const notes = { 'millwright.dev/user-data-config': 'pool' };

  test('are not asked for while no class names one', async () => {
    const client = new InMemoryClient(asking({}), pool);
    await leadOn(client);
    expect([asked(client), isWatched(), tenure?.isSynced]).toEqual([[], false, true]);
  });

  test('are watched from the first class that names one to the last, and told to it', async () => {
    const client = new InMemoryClient(asking({}), pool);
    await leadOn(client);
    client.put(asking(notes));
    await eventually('watched', () => asked(client).some((call) => call.startsWith('WATCH')));
    await passes();
    expect([told().includes('classChanged small'), isWatched()]).toEqual([true, true]);
    delivered = [];
    client.put({ ...pool, data: {} });
    await passes();
    expect(told()).toEqual(['classChanged small']);
    expect(tenure?.checkpoint()).not.toHaveProperty('configMaps');
    client.put(asking({}));
    await eventually('closed', () => !isWatched());
    await passes();
    delivered = [];
    client.put({ ...pool, data: { a: '' } });
    await passes();
    expect(told()).toEqual([]);
  });

  test('that roles do not let be read hold up nothing', async () => {
    const client = new InMemoryClient(asking(notes), pool);
    client.fault = ({ path }) =>
      path.includes('configmaps') ? { code: 403, reason: 'Forbidden' } : undefined;
    const errors: string[] = [];
    lead({ control: client, target: undefined, onWatchError: (_error, of) => errors.push(of) });
    await eventually('synced', () => tenure?.isSynced === true);
    await eventually('refused', () => errors.includes('configMaps'));
    expect(tenure?.whyNotReady()).toBeUndefined();
  });
});
