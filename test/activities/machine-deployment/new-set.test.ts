import { aMachineDeployment, aMachineSet, aTemplate } from '../../support/builders.ts';
import { DeploymentWorld, life, nextTemplate, ownSet, path } from './deployment-world.ts';

test('the first set has the hash in labels and selector, the owner, the notes; then nothing is left to do', async () => {
  const annotations = { note: 'x', 'millwright.dev/canary': '1' };
  const world = new DeploymentWorld(aMachineDeployment({ metadata: { annotations } }));
  expect(await world.step()).toEqual(['createSet']);
  const set = await world.set();
  const hash = set.metadata.labels?.['machine-template-hash'] ?? '';
  const labels = { pool: 'a', 'machine-template-hash': hash };
  expect(hash).toMatch(/^\d+$/);
  expect(set.metadata.name).toMatch(/^workers-[bcdfghjklmnpqrstvwxz2-9]{5}$/);
  expect(set.metadata).toMatchObject({
    labels,
    ownerReferences: [{ kind: 'MachineDeployment', uid: life.uid, controller: true }],
    finalizers: ['machine.sapcloud.io/machine-controller-manager'],
  });
  expect(set.metadata.annotations).toEqual({
    note: 'x',
    'deployment.kubernetes.io/desired-replicas': '3',
    'deployment.kubernetes.io/max-replicas': '4',
    'deployment.kubernetes.io/revision': '1',
  });
  expect(set.spec).toMatchObject({
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { class: { name: 'small' } } },
  });
  expect(await world.events()).toEqual([
    `Normal ScalingMachineSet: Scaled up machine set ${set.metadata.name} to 3`,
  ]);
  expect(await world.step()).toEqual([]);
});

test('a create whose answer was lost makes no second set', async () => {
  const world = new DeploymentWorld();
  const { steps } = await world.plan();
  await world.apply(...steps);
  await world.apply(...steps);
  expect(await world.sets()).toHaveLength(1);
});

describe('a set that was planned is not made', () => {
  test.each([
    [
      'the template changed since',
      (world: DeploymentWorld) => world.change({ spec: { template: nextTemplate } }),
    ],
    ['somebody paused since', (world: DeploymentWorld) => world.change({ spec: { paused: true } })],
    ['its deletion has begun', (world: DeploymentWorld) => world.control.delete(path)],
  ])('when %s', async (_when, change) => {
    const world = new DeploymentWorld();
    const { steps } = await world.plan();
    await change(world);
    expect(await world.apply(...steps)).toEqual({ written: [] });
    expect(await world.sets()).toEqual([]);
  });

  test('when another life has the name', async () => {
    const world = new DeploymentWorld();
    const { steps } = await world.plan();
    world.control.put(aMachineDeployment({ metadata: { uid: 'uid-of-another' } }));
    await world.apply(...steps);
    expect(await world.sets()).toEqual([]);
  });
});

test.each([
  {
    name: 'a rolling update',
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } },
    max: '5',
  },
  { name: 'Recreate', strategy: { type: 'Recreate' }, max: '3' },
  {
    name: 'OnDelete',
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
    annotations: { 'millwright.dev/on-delete': 'true' },
    max: '3',
  },
  {
    name: 'OnDelete, which an update in place is not',
    strategy: {
      type: 'InPlaceUpdate',
      inPlaceUpdate: { maxSurge: 1, maxUnavailable: 0, orchestrationType: 'Auto' },
    },
    annotations: { 'millwright.dev/on-delete': 'true' },
    max: '4',
  },
] as const)(
  'the most machines that there may be is noted, once: $name',
  async ({ strategy, max, ...changes }) => {
    const { annotations = {} } = { annotations: undefined, ...changes };
    const world = new DeploymentWorld(
      aMachineDeployment({ metadata: { annotations: { ...annotations } }, spec: { strategy } }),
    );
    await world.settle();
    expect((await world.set()).metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/max-replicas': max,
    });
    await world.change({ spec: { replicas: 4 } });
    await world.settle();
    const writes = world.control.writes().length;
    expect(await world.step()).toEqual([]);
    expect(world.control.writes()).toHaveLength(writes);
  },
);

describe('a name that another object has', () => {
  test('gives way to the next one, which stays the set of the template', async () => {
    const taken = (await new DeploymentWorld().survey()).newSetName;
    const world = new DeploymentWorld(
      aMachineDeployment(),
      aMachineSet({ metadata: { name: taken, labels: { pool: 'other' } } }),
    );
    await world.settle();
    const sets = await world.sets();
    expect(sets).toHaveLength(2);
    const own = sets.find(({ metadata }) => metadata.name !== taken);
    expect(own?.metadata.labels?.['machine-template-hash']).not.toBe(taken.replace('workers-', ''));
    expect(own?.spec.replicas).toBe(3);
    expect(await world.step()).toEqual([]);
  });

  test('a name that was taken between plan and create is chosen anew by the next read', async () => {
    const world = new DeploymentWorld();
    const { steps } = await world.plan();
    const [step] = steps;
    if (step?.action !== 'createSet') throw new Error(step?.action);
    world.control.put(aMachineSet({ metadata: { name: step.name, labels: { pool: 'other' } } }));
    expect(await world.apply(step)).toEqual({ written: [] });
    expect((await world.survey()).newSetName).not.toBe(step.name);
  });
});

const restart = (world: DeploymentWorld, value: string | null): Promise<void> =>
  world.annotate({ 'millwright.dev/restart': value });

describe('option restart', () => {
  test('of an earlier value goes back to the set of then', async () => {
    const world = new DeploymentWorld();
    for (const value of ['monday', 'tuesday', 'monday']) {
      await restart(world, value);
      await world.settle();
    }
    const sets = await world.sets();
    expect(sets.map(({ spec }) => spec.replicas)).toEqual([0, 3]);
    expect(sets.at(-1)?.metadata.annotations).toMatchObject({
      'millwright.dev/restart': 'monday',
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
  });
});

test('a set that an earlier controller made keeps its name and its hash', async () => {
  const labels = { pool: 'a', 'machine-template-hash': '4242' };
  const set = ownSet('workers-abcde', {
    metadata: { labels },
    spec: { replicas: 3, template: aTemplate({ metadata: { labels } }) },
  });
  const world = new DeploymentWorld(aMachineDeployment(), set);
  await world.runMachines();
  await world.settle();
  expect(await world.sets()).toMatchObject([{ metadata: { name: 'workers-abcde', labels } }]);
});
