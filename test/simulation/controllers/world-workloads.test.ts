import { Chance } from '../engine/chance.ts';
import { budgets, ControllersUnderTest, namespace } from './controllers-under-test.ts';
import { applicationBy, standardWorkloads } from './standard-workloads.ts';
import { WorldWorkloads } from './world-workloads.ts';

function worldWithUsers() {
  const world = new ControllersUnderTest();
  for (const name of ['one', 'two']) world.addNode(name);
  const { cluster, controllers } = world;
  const workloads = new WorldWorkloads(new Map([[cluster, controllers]]), new Chance(1));
  return { world, cluster, workloads };
}

test('users start, scale and end workloads by name', async () => {
  const { world, cluster, workloads } = worldWithUsers();
  const names = ['web', 'db', 'batch', 'cache'];
  for (const name of names) workloads.add({ cluster, namespace, name, replicas: 1 });
  await world.run(120);
  const labels = new Set(world.listOfPods().map(({ metadata }) => metadata.labels?.['app']));
  expect(labels).toEqual(new Set(names));
  workloads.add({ cluster, namespace, name: 'web', replicas: 3 });
  await world.run(120);
  expect(world.listOfPods()).toHaveLength(6);
  for (const name of names) workloads.remove({ cluster, namespace, name });
  await world.run(1_000);
  expect(world.listOfPods()).toEqual([]);
  expect(Object(world.server.get(budgets)).items).toEqual([]);
});

test('in a cluster without controllers there are none', async () => {
  const { world, cluster, workloads } = worldWithUsers();
  const elsewhere = { ...cluster, name: 'elsewhere' };
  workloads.add({ cluster: elsewhere, namespace, name: 'web', replicas: 1 });
  await world.run(120);
  expect(world.listOfPods()).toEqual([]);
});

test('a name has the same kind of workload each time', () => {
  const workload = { namespace, name: 'web', replicas: 1 };
  expect(applicationBy(new Chance(5), workload)).toEqual(applicationBy(new Chance(5), workload));
});

test('standard workloads are as many pods as asked for, of all kinds', () => {
  const found = standardWorkloads(new Chance(1), { namespace, pods: 200 });
  expect(found.reduce((sum, { replicas }) => sum + replicas, 0)).toBe(200);
  const kinds = new Set(found.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['DaemonSet', 'Mirror', 'ReplicaSet', 'StatefulSet', 'Bare']));
  for (const trait of ['budget', 'finalizerLateMs', 'hasVolumes'] as const) {
    expect(found.some((workload) => workload[trait] !== undefined)).toBe(true);
  }
});
