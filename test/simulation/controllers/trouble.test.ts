/** Each fault of controllers does what it says, and only while the weather is bad. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { configMaps, ControllersUnderTest, namespace, pods } from './controllers-under-test.ts';
import { calmControllers } from './trouble.ts';
import type { ControllerTrouble } from './trouble.ts';
import { attachments } from './volumes.ts';

const withTrouble = (trouble: Partial<ControllerTrouble>): ControllersUnderTest =>
  new ControllersUnderTest({ trouble: { ...calmControllers, ...trouble } });

/** How many of twenty dependents are left so many seconds after their owner went. */
async function leftAfter(world: ControllersUnderTest, seconds: number): Promise<number> {
  const { uid } = world.create(configMaps, 'owner');
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
  for (let count = 0; count < 20; count += 1) {
    world.create(configMaps, `child-${count}`, { metadata: { ownerReferences: [owner] } });
  }
  world.server.delete(`${configMaps}/owner`);
  await world.run(seconds);
  return world.listOfConfigMaps().length;
}

test('late actions come within 20 s', async () => {
  const world = withTrouble({ lateActions: 1 });
  expect(await leftAfter(world, 2)).toBeGreaterThan(10);
  await world.run(18);
  expect(world.listOfConfigMaps()).toEqual([]);
  world.weather.clear();
  expect(await leftAfter(world, 1)).toBe(0);
});

test('stops are over within five minutes, and when the weather clears', async () => {
  const world = withTrouble({ stopsAnHour: 3_600 });
  await world.run(60);
  expect(await leftAfter(world, 1)).toBeGreaterThan(0);
  world.weather.clear();
  await world.run(1);
  expect(world.listOfConfigMaps()).toEqual([]);
});

test('a controller that knows nothing new acts on what it knew', async () => {
  const world = withTrouble({ staleAnHour: 36_000 });
  world.addNode('one');
  await world.run(60);
  world.merge(nodePath('one'), { spec: { unschedulable: true } });
  const cordoned = 'node.kubernetes.io/unschedulable:NoSchedule';
  await world.run(1);
  expect(world.taintsOf('one')).not.toContain(cordoned);
  world.weather.clear();
  await world.run(1);
  expect(world.taintsOf('one')).toContain(cordoned);
});

test('volumes are let go minutes later', async () => {
  const world = withTrouble({ slowDetaches: 1 });
  world.addNode('one');
  const workload = { namespace, name: 'app', kind: 'StatefulSet', replicas: 5 } as const;
  world.controllers.workloads.add({ ...workload, hasVolumes: true });
  await world.run(60);
  world.controllers.workloads.remove(workload);
  for (const { metadata } of world.listOfPods()) {
    world.server.delete(`${pods}/${metadata.name}`, { gracePeriodSeconds: 0 });
  }
  await world.run(20);
  const left = (): unknown[] => Object(world.server.get(attachments)).items;
  expect(left()).not.toEqual([]);
  await world.run(240);
  expect(left()).toEqual([]);
});
