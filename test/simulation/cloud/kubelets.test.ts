/** Kubelets on an API server in memory. */
import { ApiServer } from '../../support/api-server/api-server.ts';
import { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { calm, Weather } from '../world/weather.ts';
import { SimulatedCloud } from './cloud.ts';
import { allKubeletTrouble, calmKubelets, Kubelets } from './kubelets.ts';
import type { KubeletTrouble } from './kubelets.ts';
import { notReadyTaint } from './node.ts';
import type { NodeObject } from './node.ts';
import { readNode } from './node-status.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

function aFleet(trouble: Partial<KubeletTrouble> = {}) {
  const simulation = new Simulation(1);
  const weather = new Weather(simulation, calm);
  const cloud = new SimulatedCloud(simulation);
  const server = new ApiServer({ now: () => Math.floor(simulation.now) });
  const cluster: Cluster = { name: 'shoot', server, isUp: true };
  const kubelets = new Kubelets({
    simulation,
    weather,
    cloud,
    trouble: { ...calmKubelets, ...trouble },
    targetOf: ({ tags }) => (tags['ours'] === 'yes' ? cluster : undefined),
    isControl: () => false,
  });
  kubelets.start();
  const seen = new Set<string>();
  server.store.listen(() => seen.add(readyOf(readNode(cluster, 'm'))));
  return {
    simulation,
    weather,
    cloud,
    cluster,
    server,
    kubelets,
    /** What the condition Ready of the Node m was at some time. */
    seen,
    boot: (name = 'm', more = {}) => cloud.addForeign({ name, tags: { ours: 'yes' }, ...more }),
    pass: (milliseconds: number) => simulation.run(simulation.now + milliseconds),
    node: (name = 'm'): NodeObject | undefined => readNode(cluster, name),
    ready: (name = 'm') => readyOf(readNode(cluster, name)),
  };
}

function readyOf(node: NodeObject | undefined): string {
  if (!node) return 'no Node';
  return node.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'no condition';
}

describe('a Node', () => {
  test('is registered as the instance was asked for, and becomes ready', async () => {
    const { boot, pass, node, ready, seen } = aFleet();
    const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];
    const more = { labels: { l: 'x' }, annotations: { n: 'y' }, taints, zone: 'b', size: 'large' };
    const { providerID } = boot('m', more);
    await pass(minuteMs + 5_000);
    expect(node()).toMatchObject({
      metadata: {
        labels: { l: 'x', 'topology.kubernetes.io/zone': 'b', 'kubernetes.io/hostname': 'm' },
        annotations: { n: 'y' },
      },
      spec: { providerID, taints: [...taints, notReadyTaint] },
      status: { capacity: { cpu: '16' }, addresses: [{ type: 'InternalIP' }, { address: 'm' }] },
    });
    expect([...seen]).toEqual(['False', 'True']);
    expect(ready()).toBe('True');
  });

  test('may fall and be ready again within moments, more than once', async () => {
    const { boot, pass, server, node, ready } = aFleet({ stumbles: 1 });
    const states: string[] = [];
    server.store.listen(() => states.push(readyOf(node())));
    boot();
    await pass(5 * minuteMs);
    const changes = states.filter((state, index) => state !== states[index - 1]);
    expect(changes.slice(0, 4)).toEqual(['False', 'True', 'False', 'True']);
    expect(ready()).toBe('True');
  });

  test('is registered where its instance belongs alone', async () => {
    const { boot, pass, node } = aFleet();
    boot('m', { tags: { ours: 'no' } });
    await pass(10 * minuteMs);
    expect(node()).toBeUndefined();
  });

  test('is written no more while nothing changes', async () => {
    const { boot, pass, server } = aFleet();
    boot();
    await pass(5 * minuteMs);
    const { version } = server.store;
    await pass(dayMs);
    expect(server.store.version).toBe(version);
  });

  test('is registered when the API server is back', async () => {
    const { boot, pass, cluster, ready } = aFleet();
    boot();
    cluster.isUp = false;
    await pass(10 * minuteMs);
    expect(ready()).toBe('no Node');
    cluster.isUp = true;
    await pass(minuteMs);
    expect(ready()).toBe('True');
  });

  test('stays when its instance goes, and is Unknown after the time of grace', async () => {
    const { boot, pass, cloud, ready } = aFleet();
    const { id } = boot();
    await pass(5 * minuteMs);
    cloud.vanish(id);
    await pass(30_000);
    expect(ready()).toBe('True');
    await pass(30_000);
    expect(ready()).toBe('Unknown');
  });

  test('that was deleted comes again with a restart of the kubelet alone', async () => {
    const { boot, pass, server, kubelets, ready } = aFleet();
    const record = boot();
    await pass(5 * minuteMs);
    server.remove('/api/v1/nodes/m');
    await pass(dayMs);
    expect(ready()).toBe('no Node');
    kubelets.of(record)?.start();
    await pass(minuteMs);
    expect(ready()).toBe('True');
  });

  test('that an earlier instance left is taken over with its providerID', async () => {
    const { boot, pass, cloud, node, ready } = aFleet();
    const { id, providerID } = boot();
    await pass(5 * minuteMs);
    cloud.vanish(id);
    await pass(5 * minuteMs);
    boot();
    await pass(5 * minuteMs);
    expect(ready()).toBe('True');
    expect(node()?.spec?.providerID).toBe(providerID);
  });

  test('that an old database shows as ready is found out', async () => {
    const { boot, pass, cloud, server, node, ready } = aFleet();
    const { id } = boot();
    await pass(5 * minuteMs);
    const earlier = { ...server.get('/api/v1/nodes/m') };
    cloud.vanish(id);
    await pass(5 * minuteMs);
    server.patch('/api/v1/nodes/m/status', {
      type: 'merge',
      body: { status: Object(earlier).status },
    });
    expect(ready()).toBe('True');
    await pass(10 * minuteMs);
    expect(readyOf(node())).toBe('Unknown');
  });
});

describe('trouble', () => {
  test.each<{ name: keyof KubeletTrouble; sees: string[]; endsWith: string }>([
    { name: 'neverJoins', sees: [], endsWith: 'no Node' },
    { name: 'joinsLate', sees: ['False', 'True'], endsWith: 'True' },
    { name: 'vanishes', sees: ['False', 'True', 'Unknown'], endsWith: 'Unknown' },
    { name: 'sickens', sees: ['False', 'True'], endsWith: 'True' },
    { name: 'fallsSilent', sees: ['False', 'True', 'Unknown'], endsWith: 'True' },
    { name: 'restarts', sees: ['False', 'True', 'Unknown'], endsWith: 'True' },
    { name: 'badCondition', sees: ['False', 'True'], endsWith: 'True' },
  ])('$name: Ready was $sees, and is $endsWith in the end', async ({ name, sees, endsWith }) => {
    const { boot, pass, seen, ready } = aFleet({ [name]: 1 });
    boot();
    await pass(dayMs);
    expect([...seen]).toEqual(sees);
    expect(ready()).toBe(endsWith);
  });

  test('sickness and silence may last for ever, and a Node shows it', async () => {
    const { boot, pass, ready } = aFleet({ staysSick: 1 });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) boot(name);
    await pass(dayMs);
    expect(new Set(names.map((name) => ready(name)))).toEqual(new Set(['False', 'Unknown']));
  });

  test('a kubelet says that its Node is of another Machine', async () => {
    const { boot, pass, server } = aFleet({ lies: 1 });
    boot('a');
    boot('b');
    await pass(dayMs);
    const { metadata }: { metadata?: Record<string, object> } = server.get('/api/v1/nodes/a');
    expect(metadata).toMatchObject({ labels: { 'node.gardener.cloud/machine-name': 'b' } });
  });

  test('none begins when the weather is clear', async () => {
    const { boot, pass, weather, ready, cloud } = aFleet(
      Object.fromEntries(Object.keys(allKubeletTrouble).map((name) => [name, 1])),
    );
    weather.clear();
    boot();
    await pass(5 * minuteMs);
    expect(ready()).toBe('True');
    await pass(dayMs);
    expect(ready()).toBe('True');
    expect([...cloud.living]).toHaveLength(1);
  });
});

test('an instance goes with the API server of its cluster', async () => {
  const { boot, pass, cloud, cluster } = aFleet({ goesWithCluster: 1 });
  boot();
  const other = cloud.addForeign({ name: 'other', tags: {} });
  await pass(30 * minuteMs);
  cluster.isUp = false;
  await pass(10 * minuteMs);
  expect([...cloud.living]).toEqual([other]);
});
