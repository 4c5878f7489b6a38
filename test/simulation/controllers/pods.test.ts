/** Workloads, what kubelets make of their pods, and volumes. */
import { namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import { budgets, ControllersUnderTest, namespace, pods } from './controllers-under-test.ts';
import { isReady } from './objects.ts';
import { allControllerTrouble, calmControllers } from './trouble.ts';
import { attachmentOf, attachments } from './volumes.ts';
import type { WorkloadOptions } from './workload.ts';

let world: ControllersUnderTest;

beforeEach(() => {
  world = new ControllersUnderTest();
  for (const name of ['one', 'two', 'three']) world.addNode(name);
});

async function add(options: Partial<WorkloadOptions>, seconds = 60): Promise<void> {
  world.controllers.workloads.add({ namespace, name: 'app', replicas: 1, ...options });
  await world.run(seconds);
}

const namesOf = (): string[] => world.listOfPods().map(({ metadata }) => metadata.name);
const running = (): string[] =>
  world
    .listOfPods()
    .filter(isReady)
    .map(({ metadata }) => metadata.name);

describe('a ReplicaSet', () => {
  test('keeps its number, up and down', async () => {
    await add({ replicas: 3 });
    expect(running()).toHaveLength(3);
    await add({ replicas: 5 });
    expect(running()).toHaveLength(5);
    await add({ replicas: 1 });
    expect(namesOf()).toHaveLength(1);
  });

  test('replaces a pod that is deleted before it is gone', async () => {
    await add({ graceSeconds: 3_600 });
    const [first = ''] = namesOf();
    world.server.delete(`${pods}/${first}`);
    await world.run(60);
    expect(running()).toHaveLength(2);
  });

  test('makes no pod twice when it hears late', async () => {
    world.controllers.pause('workloads');
    await add({ replicas: 2 });
    world.controllers.resume('workloads');
    await world.run(60);
    expect(running()).toHaveLength(2);
  });

  test('has the budget that was asked for, and takes it along', async () => {
    await add({ replicas: 2, budget: { minAvailable: 1 } });
    expect(world.read(`${budgets}/app`).status.disruptionsAllowed).toBe(1);
    world.controllers.workloads.remove({ namespace, name: 'app' });
    await world.run(60);
    expect(world.server.has(`${budgets}/app`)).toBe(false);
    expect(namesOf()).toEqual([]);
  });
});

test('a bare pod is not replaced, and goes with its workload', async () => {
  await add({ kind: 'Bare', replicas: 2 });
  const [first = ''] = running();
  expect(world.read(`${pods}/${first}`).metadata.ownerReferences).toBeUndefined();
  world.server.delete(`${pods}/${first}`);
  await world.run(120);
  expect(running()).toHaveLength(1);
  world.controllers.workloads.remove({ namespace, name: 'app' });
  await world.run(60);
  expect(namesOf()).toEqual([]);
});

describe.each(['DaemonSet', 'Mirror'] as const)('a pod on each Node (%s)', (kind) => {
  test('is there on each, also on a new one, and comes again', async () => {
    await add({ kind });
    expect(running()).toEqual(['app-one', 'app-three', 'app-two']);
    world.addNode('four', { unschedulable: true });
    world.server.delete(`${pods}/app-one`);
    await world.run(120);
    expect(running()).toEqual(['app-four', 'app-one', 'app-three', 'app-two']);
  });

  test('goes with the Node', async () => {
    await add({ kind });
    world.dead.add('one');
    world.server.delete(nodePath('one'));
    await world.run(120);
    expect(namesOf()).toEqual(['app-three', 'app-two']);
  });
});

describe('kubelets', () => {
  test('end a pod within its grace period, and not before', async () => {
    await add({ kind: 'Bare', graceSeconds: 100 });
    const path = `${pods}/${namesOf()[0]}`;
    world.server.delete(path);
    expect(world.read(path).metadata.deletionGracePeriodSeconds).toBe(100);
    await world.run(101);
    expect(world.server.has(path)).toBe(false);
  });

  test('end it sooner when it is deleted again with less time', async () => {
    await add({ kind: 'Bare', graceSeconds: 100_000 });
    const path = `${pods}/${namesOf()[0]}`;
    world.server.delete(path);
    await world.run(1);
    expect(world.server.has(path)).toBe(true);
    world.server.delete(path, { gracePeriodSeconds: 10 });
    await world.run(11);
    expect(world.server.has(path)).toBe(false);
  });

  test('do nothing while they are dead, not even begin', async () => {
    world.dead.add('one').add('two').add('three');
    await add({ kind: 'Bare' });
    const path = `${pods}/${namesOf()[0]}`;
    expect(world.read(path)).toMatchObject({ status: { phase: 'Pending' } });
    world.server.delete(path);
    await world.run(3_600);
    expect(world.server.has(path)).toBe(true);
    world.server.delete(path, { gracePeriodSeconds: 0 });
    expect(world.server.has(path)).toBe(false);
  });

  test('leave a pod that never terminates until the weather clears', async () => {
    world = new ControllersUnderTest({ trouble: { ...calmControllers, stuckPods: 1 } });
    world.addNode('one');
    await add({ kind: 'Bare' });
    const path = `${pods}/${namesOf()[0]}`;
    world.server.delete(path);
    await world.run(7_200);
    expect(world.server.has(path)).toBe(true);
    world.weather.clear();
    await world.run(60);
    expect(world.server.has(path)).toBe(false);
  });

  test('leave a pod to the finalizers that it has', async () => {
    await add({ kind: 'Bare', finalizerLateMs: 600_000 });
    const path = `${pods}/${namesOf()[0]}`;
    world.server.delete(path);
    await world.run(300);
    expect(world.read(path).metadata.deletionGracePeriodSeconds).toBe(0);
    await world.run(301);
    expect(world.server.has(path)).toBe(false);
  });
});

const nodeOf = (name: string): string => world.read(`${pods}/${name}`)?.spec.nodeName ?? '';

describe('volumes', () => {
  const volume = `pv-${namespace}-app-0`;

  const attachedTo = (nodeName: string): boolean | undefined =>
    world.read(`${attachments}/${attachmentOf({ volume, nodeName })}`)?.status?.attached;

  test('are attached before their pod runs, and follow it to another Node', async () => {
    await add({ kind: 'StatefulSet', replicas: 2, hasVolumes: true });
    expect(running()).toEqual(['app-0', 'app-1']);
    const first = nodeOf('app-0');
    expect(attachedTo(first)).toBe(true);
    world.merge(nodePath(first), { spec: { unschedulable: true } });
    await world.run(1);
    world.server.delete(`${pods}/app-0`);
    await world.run(120);
    const second = nodeOf('app-0');
    expect(second).not.toBe(first);
    expect(attachedTo(first)).toBeUndefined();
    expect(attachedTo(second)).toBe(true);
    expect(running()).toContain('app-0');
  });

  test('of a dead Node are let go after six minutes', async () => {
    await add({ kind: 'StatefulSet', hasVolumes: true });
    const first = nodeOf('app-0');
    world.dead.add(first);
    world.merge(nodePath(first), { spec: { unschedulable: true } });
    await world.run(1);
    world.server.delete(`${pods}/app-0`, { gracePeriodSeconds: 0 });
    await world.run(300);
    expect(attachedTo(first)).toBe(true);
    expect(running()).toEqual([]);
    await world.run(120);
    expect(attachedTo(first)).toBeUndefined();
    expect(running()).toEqual(['app-0']);
  });

  test('of a Node that is gone are let go at once', async () => {
    await add({ kind: 'StatefulSet', hasVolumes: true });
    const first = nodeOf('app-0');
    world.dead.add(first);
    world.server.delete(nodePath(first));
    await world.run(120);
    expect(attachedTo(first)).toBeUndefined();
    expect(running()).toEqual(['app-0']);
  });

  test('go with their workload', async () => {
    await add({ kind: 'StatefulSet', hasVolumes: true });
    world.controllers.workloads.remove({ namespace, name: 'app' });
    await world.run(120);
    expect(world.server.has(`/api/v1/persistentvolumes/${volume}`)).toBe(false);
    const claim = namespaced('persistentvolumeclaims', namespace, 'data-app-0');
    expect(world.server.has(claim)).toBe(false);
    const { items } = Object(world.server.get(attachments));
    expect(items).toEqual([]);
  });
});

test('an unknown controller cannot be paused', () => {
  expect(() => world.controllers.pause('none')).toThrow(/"none": must be one of garbage collector/);
});

async function day(seed: number): Promise<ControllersUnderTest> {
  const troubled = new ControllersUnderTest({ seed, trouble: allControllerTrouble });
  const chance = troubled.simulation.chance.fork();
  for (const name of ['one', 'two', 'three', 'four']) troubled.addNode(name);
  const { workloads } = troubled.controllers;
  for (const name of ['app', 'other', 'more']) workloads.add({ namespace, name, replicas: 4 });
  workloads.add({ namespace, name: 'data', kind: 'StatefulSet', hasVolumes: true, replicas: 3 });
  for (let hour = 0; hour < 24; hour += 1) {
    for (const name of namesIn(troubled)) {
      if (chance.happens(0.3)) troubled.server.delete(`${pods}/${name}`);
    }
    await troubled.run(3_600);
  }
  return troubled;
}

const namesIn = (troubled: ControllersUnderTest): string[] =>
  troubled.listOfPods().map(({ metadata }) => metadata.name);

test('in bad weather they are by seed, and in the end all runs', async () => {
  const [one, again] = [await day(7), await day(7)];
  expect(again.simulation.timeline.fingerprint).toBe(one.simulation.timeline.fingerprint);
  expect(one.simulation.timeline.lines(['stops']).length).toBeGreaterThan(10);
  one.weather.clear();
  await one.run(600);
  expect(one.listOfPods().filter(isReady)).toHaveLength(15);
  expect(one.listOfPods()).toHaveLength(15);
});
