/** The agents on Nodes that are updated in place, on an API server in memory. */
import { ApiServer } from '../../support/api-server/api-server.ts';
import { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { calm, Weather } from '../world/weather.ts';
import { Agents, calmAgents } from './agents.ts';
import type { AgentTrouble } from './agents.ts';
import { releaseNodes } from './critical-components.ts';

const minuteMs = 60_000;
const prefix = 'node.machine.sapcloud.io';
const path = '/api/v1/nodes/m';
const pods = '/api/v1/namespaces/apps/pods';

function aNode(trouble: Partial<AgentTrouble> = {}) {
  const simulation = new Simulation(1);
  const weather = new Weather(simulation, calm);
  const server = new ApiServer({ now: () => Math.floor(simulation.now) });
  const cluster: Cluster = { name: 'shoot', server, isUp: true };
  const reboots: number[] = [];
  const results: string[] = [];
  const kubelets = {
    isHeard: () => true,
    reboot: (_cluster: Cluster, _name: string, lastsMs: number) => reboots.push(lastsMs),
  };
  new Agents({
    simulation,
    weather,
    trouble: { ...calmAgents, ...trouble },
    clusters: [cluster],
    kubelets,
  }).start();
  releaseNodes(simulation, cluster);
  server.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'm' } });
  server.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'apps' },
    spec: { nodeName: 'm' },
  });
  server.store.listen(({ after }) => {
    const result = after?.object.metadata.labels?.[`${prefix}/update-result`];
    if (result !== undefined && results.at(-1) !== result) results.push(result);
  });
  const node = (): { metadata: { labels?: object; annotations?: object }; spec?: object } =>
    Object(server.get(path));
  return {
    simulation,
    weather,
    server,
    cluster,
    reboots,
    results,
    node,
    pass: (minutes: number) => simulation.run(simulation.now + minutes * minuteMs),
    ask: (reason: string) => {
      const lastTransitionTime = new Date(simulation.now).toISOString();
      const condition = { type: 'InPlaceUpdate', status: 'True', reason, lastTransitionTime };
      const body = { status: { conditions: [condition] } };
      server.patch(`${path}/status`, { type: 'strategic', body });
    },
  };
}

test('a Node that asks for nothing is left alone, and nothing happens for it', async () => {
  const { simulation, ask, pass, results } = aNode();
  ask('CandidateForUpdate');
  ask('SelectedForUpdate');
  ask('DrainSuccessful');
  const { events } = simulation;
  await pass(4);
  expect(simulation.events).toBe(events);
  expect(results).toEqual([]);
});

test('one that is ready for its update loses its pods, and is said to be updated', async () => {
  const { ask, pass, results, server } = aNode();
  ask('ReadyForUpdate');
  await pass(5);
  expect(results).toEqual(['successful']);
  expect(server.has(`${pods}/web`)).toBe(false);
});

test.each<[AgentTrouble | Partial<AgentTrouble>, number, string[]]>([
  [{ late: 1 }, 5, []],
  [{ late: 1 }, 30, ['successful']],
  [{ never: 1 }, 600, []],
  [{ fails: 1 }, 60, ['failed']],
  [{ fails: 1, mends: 1 }, 60, ['failed', 'successful']],
  [{ dies: 1 }, 20, ['successful']],
])('with %j, after %d min: %j', async (trouble, minutes, expected) => {
  const { ask, pass, results } = aNode(trouble);
  ask('ReadyForUpdate');
  await pass(minutes);
  expect(results).toEqual(expected);
});

test('an early answer comes before the drain', async () => {
  const { ask, pass, results } = aNode({ early: 1 });
  ask('SelectedForUpdate');
  await pass(1);
  expect(results).toEqual(['successful']);
});

test('a failure says why, and leaves the pods', async () => {
  const { ask, pass, node, server } = aNode({ fails: 1 });
  ask('ReadyForUpdate');
  await pass(5);
  expect(node().metadata.annotations).toEqual({
    [`${prefix}/update-failed-reason`]: expect.any(String),
  });
  expect(server.has(`${pods}/web`)).toBe(true);
});

test('a machine may start again in the middle', async () => {
  const { ask, pass, reboots, results } = aNode({ reboots: 1 });
  ask('ReadyForUpdate');
  await pass(10);
  expect(reboots).toHaveLength(1);
  expect(results).toEqual(['successful']);
});

test('once its result is taken off it begins anew', async () => {
  const { ask, pass, results, server } = aNode({ fails: 1 });
  ask('ReadyForUpdate');
  await pass(5);
  const body = { metadata: { labels: { [`${prefix}/update-result`]: null } } };
  server.patch(path, { type: 'merge', body });
  results.push('taken off');
  await pass(5);
  expect(results).toEqual(['failed', 'taken off', 'failed']);
});

test.each([{ never: 1 }, { fails: 1 }])(
  'in the end there is a good answer: %j',
  async (trouble) => {
    const { ask, pass, results, weather } = aNode(trouble);
    ask('ReadyForUpdate');
    await pass(10);
    weather.clear();
    await pass(6);
    expect(results.at(-1)).toBe('successful');
  },
);

test('what a cluster that was away missed is done when it is back', async () => {
  const { ask, pass, results, cluster } = aNode();
  ask('ReadyForUpdate');
  cluster.isUp = false;
  await pass(20);
  expect(results).toEqual([]);
  cluster.isUp = true;
  await pass(1);
  expect(results).toEqual(['successful']);
});

test('a Node waits for its critical components, once it is ready', async () => {
  const { pass, node, server } = aNode();
  const taints = [
    { key: 'node.gardener.cloud/critical-components-not-ready', effect: 'NoSchedule' },
  ];
  server.patch(path, { type: 'merge', body: { spec: { taints } } });
  await pass(5);
  expect(node().spec).toMatchObject({ taints });
  const conditions = [{ type: 'Ready', status: 'True' }];
  server.patch(`${path}/status`, { type: 'strategic', body: { status: { conditions } } });
  await pass(1);
  expect(node().spec).toMatchObject({ taints: [] });
});
