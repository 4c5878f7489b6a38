/** What the set of the template takes over from its deployment, and what an old set does not. */
import { aMachineDeployment, aTemplate } from '../../support/builders.ts';
import { DeploymentWorld, nextTemplate } from './deployment-world.ts';

const small = { kind: 'MachineClass', name: 'small' };

async function settled(changes: Parameters<typeof aMachineDeployment>[0] = {}) {
  const world = new DeploymentWorld(aMachineDeployment(changes));
  await world.settle();
  return world;
}

async function notesOf(world: DeploymentWorld, index = 0): Promise<Record<string, string>> {
  return (await world.set(index)).metadata.annotations ?? {};
}

function valueAt(object: object, path: string[]): unknown {
  return path.reduce<unknown>((at, key) => Object(at)[key], object);
}

describe('annotations', () => {
  test('are added and overwritten, and stay when the deployment drops them', async () => {
    const world = await settled({ metadata: { annotations: { kept: 'a', changed: 'a' } } });
    await world.annotate({ kept: null, changed: 'b', fresh: 'c' });
    expect(await world.step()).toEqual(['syncSet']);
    expect(await notesOf(world)).toMatchObject({ kept: 'a', changed: 'b', fresh: 'c' });
    expect(await world.step()).toEqual([]);
  });

  test.each([
    'kubectl.kubernetes.io/last-applied-configuration',
    'deployment.kubernetes.io/revision-history',
    'deployment.machine.sapcloud.io/prefer-no-schedule',
    'safety.machine.sapcloud.io/unfreeze',
    'millwright.dev/soak',
    'millwright.dev/rolled-back-from',
  ])('%s is not copied', async (key) => {
    const world = await settled();
    await world.annotate({ [key]: '1s' });
    expect(await world.step()).not.toContain('syncSet');
    expect(await notesOf(world)).not.toHaveProperty([key]);
  });
});

describe('fields', () => {
  const template = aTemplate({
    spec: { class: small, drainTimeout: '1h', nodeTemplate: { metadata: { labels: { a: '1' } } } },
  });

  test.each([
    {
      name: 'a timeout changes',
      spec: { template: { spec: { drainTimeout: '2h' } } },
      expected: { template: { spec: { drainTimeout: '2h' } } },
    },
    {
      name: 'the node template changes',
      spec: { template: { spec: { nodeTemplate: { metadata: { labels: { b: '2' } } } } } },
      expected: {
        template: { spec: { nodeTemplate: { metadata: { labels: { a: '1', b: '2' } } } } },
      },
    },
    {
      name: 'a label of the node template is taken away',
      spec: { template: { spec: { nodeTemplate: { metadata: { labels: { a: null } } } } } },
      absent: ['template', 'spec', 'nodeTemplate', 'metadata', 'labels', 'a'],
    },
    {
      name: 'minReadySeconds and the limit of preserved machines are given',
      spec: { minReadySeconds: 30, autoPreserveFailedMachineMax: 2 },
      expected: { minReadySeconds: 30, autoPreserveFailedMachineMax: 2 },
    },
  ])('$name: the set follows without a rollout', async ({ spec, expected = {}, absent = [] }) => {
    const world = await settled({ spec: { template } });
    await world.change({ spec });
    expect(await world.step()).toEqual(['syncSet']);
    const set = await world.set();
    expect(set.spec).toMatchObject(expected);
    expect(absent.length > 0 && valueAt(set.spec, absent)).toBeFalsy();
    expect(await world.step()).toEqual([]);
    expect(await world.sets()).toHaveLength(1);
  });

  test('a duration that is written otherwise is the same duration for machines, but the set says it the same way', async () => {
    const world = await settled({ spec: { template } });
    await world.change({ spec: { template: { spec: { drainTimeout: '60m' } } } });
    await world.settle();
    expect((await world.set()).spec.template?.spec?.drainTimeout).toBe('60m');
  });

  test('zero and absent are the same: nothing is written', async () => {
    const world = await settled();
    await world.change({ spec: { minReadySeconds: 0, autoPreserveFailedMachineMax: 0 } });
    expect(await world.step()).toEqual([]);
  });

  test('old sets keep what they have', async () => {
    const world = await settled({ spec: { template } });
    await world.change({ spec: { template: nextTemplate } });
    await world.step();
    await world.change({ spec: { template: { spec: { drainTimeout: '5h' } } } });
    await world.annotate({ note: 'x' });
    expect(await world.step()).toEqual(['syncSet']);
    const [old, fresh] = await world.sets();
    expect(old?.spec.template?.spec?.drainTimeout).toBe('1h');
    expect(old?.metadata.annotations).not.toHaveProperty('note');
    expect(fresh?.spec.template?.spec?.drainTimeout).toBe('5h');
  });

  test('holds for the set as it was planned for', async () => {
    const world = await settled();
    await world.annotate({ note: 'x' });
    const { steps } = await world.plan();
    const { name } = (await world.set()).metadata;
    await world.changeSet(name, { metadata: { labels: { touched: 'yes' } } });
    await world.apply(...steps);
    expect(await notesOf(world)).not.toHaveProperty('note');
    expect(await world.step()).toEqual(['syncSet']);
  });
});

const back = (world: DeploymentWorld, name: string): Promise<void> =>
  world.change({ spec: { template: { spec: { class: { name } } } } });

describe('the revision', () => {
  test('of a set that is wanted again is the highest, and its history says what it was', async () => {
    const world = await settled();
    for (const name of ['large', 'small', 'large']) {
      await back(world, name);
      await world.settle();
    }
    const sets = await world.sets();
    expect(sets).toHaveLength(2);
    expect(sets.map(({ metadata: { annotations } }) => annotations)).toMatchObject([
      {
        'deployment.kubernetes.io/revision': '3',
        'deployment.kubernetes.io/revision-history': '1',
      },
      {
        'deployment.kubernetes.io/revision': '4',
        'deployment.kubernetes.io/revision-history': '2',
      },
    ]);
    expect((await world.deployment()).metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '4',
    });
  });
});

describe('what tells a scaling from a rollout', () => {
  test('is noted with each scaling', async () => {
    const world = await settled();
    await world.change({ spec: { replicas: 10 } });
    expect(await world.step()).toEqual(['scaleSet']);
    const set = await world.set();
    expect(set.spec.replicas).toBe(10);
    expect(set.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/desired-replicas': '10',
      'deployment.kubernetes.io/max-replicas': '11',
    });
    const { name } = set.metadata;
    expect(await world.events()).toContain(
      `Normal ScalingMachineSet: Scaled up machine set ${name} to 10`,
    );
  });

  test('is noted without an Event where the size stays', async () => {
    const world = await settled();
    const events = await world.events();
    const rollingUpdate = { maxSurge: 5, maxUnavailable: 0 };
    await world.change({ spec: { strategy: { rollingUpdate } } });
    expect(await world.step()).toEqual(['scaleSet']);
    expect(await notesOf(world)).toMatchObject({ 'deployment.kubernetes.io/max-replicas': '8' });
    expect(await world.events()).toEqual(events);
    expect(await world.step()).toEqual([]);
  });
});
