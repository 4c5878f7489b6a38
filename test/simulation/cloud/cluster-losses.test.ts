/** Outages of an API server, and the instances that go with it. */
import { ApiServer } from '../../support/api-server/api-server.ts';
import { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { calm, Weather } from '../world/weather.ts';
import { SimulatedCloud } from './cloud.ts';
import { ClusterLosses } from './cluster-losses.ts';

const minuteMs = 60_000;
const count = 10;

function aCluster(seed: number, share = 1, zonesAnHour = 0) {
  const simulation = new Simulation(seed);
  const weather = new Weather(simulation, calm);
  const cloud = new SimulatedCloud(simulation);
  const server = new ApiServer({ now: () => Math.floor(simulation.now) });
  const cluster: Cluster = { name: 'shoot', server, isUp: true };
  const { chance } = simulation;
  const living = () => [...cloud.living];
  for (let index = 0; index < count; index += 1) cloud.addForeign({ name: `m-${index}`, tags: {} });
  const chances = { outages: chance.fork(), zones: chance.fork() };
  const parts = { simulation, weather, cloud, cluster, chances, living };
  new ClusterLosses({ ...parts, share, zonesAnHour }).start();
  return { simulation, weather, cloud, cluster };
}

type Place = ReturnType<typeof aCluster>;

/** Returns how many instances are gone after it. */
async function afterOutage({ simulation, cloud, cluster }: Place, minutes: number) {
  cluster.isUp = false;
  await simulation.run(simulation.now + minutes * minuteMs);
  cluster.isUp = true;
  await simulation.run(simulation.now + 30 * minuteMs);
  return count - [...cloud.living].length;
}

test('now a few instances go, now half of them, and now all', async () => {
  const gone = new Set<number>();
  for (let seed = 1; seed <= 40; seed += 1) gone.add(await afterOutage(aCluster(seed), 30));
  expect([...gone].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 5, 10]);
});

test.each([
  ['a short outage', 1.5, 1],
  ['an outage in which none is to go', 30, 0],
])('%s takes none along', async (_what, minutes, share) => {
  for (let seed = 1; seed <= 10; seed += 1) {
    expect(await afterOutage(aCluster(seed, share), minutes)).toBe(0);
  }
});

test('an outage takes instances once, and the next one again', async () => {
  const place = aCluster(1);
  const first = await afterOutage(place, 10);
  const again = aCluster(1);
  expect(await afterOutage(again, 300)).toBe(first);
  expect(await afterOutage(place, 30)).toBeGreaterThan(first);
});

test('a zone fails for long, and takes instances along', async () => {
  const { simulation, cloud, cluster } = aCluster(1, 0, 2);
  const downs: number[] = [];
  while (downs.length < 60) {
    await simulation.run(simulation.now + minuteMs);
    if (!cluster.isUp) downs.push(simulation.now);
  }
  expect([...cloud.living].length).toBeLessThan(count);
});

test('a zone that fails is back when the weather clears', async () => {
  const { simulation, weather, cluster } = aCluster(1, 0, 1_000);
  await simulation.run(simulation.now + minuteMs);
  expect(cluster.isUp).toBe(false);
  weather.clear();
  expect(cluster.isUp).toBe(true);
});

test('none goes any more when the weather has cleared', async () => {
  const place = aCluster(1);
  place.weather.clear();
  expect(await afterOutage(place, 30)).toBe(0);
});
