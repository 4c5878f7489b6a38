import type { MachineDeploymentSpec } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import {
  aMachineDeployment,
  aMachineSet,
  aTemplate,
  controlledBy,
} from '../../support/builders.ts';
import { DeploymentWorld, life, ownSet, path, setPath } from './deployment-world.ts';

const orphan = (name = 'orphan') => ownSet(name, { metadata: { ownerReferences: [] } });
const [ours] = controlledBy(aMachineDeployment());
const [foreign] = controlledBy(aMachineDeployment({ metadata: { name: 'other' } }));
const backup = { apiVersion: 'v1', kind: 'Backup', name: 'b', uid: 'uid-of-b', controller: false };

async function ownersOf(world: DeploymentWorld, name: string): Promise<unknown> {
  return (await world.control.read<MachineSet>(setPath(name))).metadata.ownerReferences ?? [];
}

/** The first write to the orphan meets a conflict, after a change. Returns whether it has. */
function conflictOnce({ control }: DeploymentWorld, change: () => void): () => boolean {
  let hasMet = false;
  control.fault = ({ method, path: written }) => {
    if (hasMet || method !== 'PATCH' || written !== setPath('orphan')) return undefined;
    hasMet = true;
    change();
    return { code: 409, reason: 'Conflict' };
  };
  return () => hasMet;
}

describe('adoption', () => {
  test('of an orphan with the right labels: it is the set of the template, and none is made', async () => {
    const world = new DeploymentWorld(aMachineDeployment(), orphan());
    const { sets } = await world.survey();
    expect(sets).toMatchObject([{ name: 'orphan', isOfTemplate: true }]);
    expect(await ownersOf(world, 'orphan')).toEqual([ours]);
  });

  test('leaves other owners as they are', async () => {
    const set = ownSet('orphan', { metadata: { ownerReferences: [backup] } });
    const world = new DeploymentWorld(aMachineDeployment(), set);
    await world.survey();
    expect(await ownersOf(world, 'orphan')).toEqual([backup, ours]);
  });

  test.each([
    {
      name: 'of another controller',
      set: ownSet('orphan', { metadata: { ownerReferences: [foreign ?? backup] } }),
    },
    { name: 'with other labels', set: aMachineSet({ metadata: { labels: { pool: 'b' } } }) },
    {
      name: 'that is being deleted',
      set: ownSet('orphan', {
        metadata: { ownerReferences: [], deletionTimestamp: '2026-01-01T00:10:00Z' },
      }),
    },
  ])('of none $name', async ({ set }) => {
    const world = new DeploymentWorld(aMachineDeployment(), set);
    expect((await world.survey()).sets).toEqual([]);
    expect(await ownersOf(world, set.metadata.name)).toEqual(set.metadata.ownerReferences ?? []);
  });

  test('of none by a deployment that is being deleted', async () => {
    const deletionTimestamp = '2026-01-01T00:10:00Z';
    const world = new DeploymentWorld(
      aMachineDeployment({ metadata: { deletionTimestamp } }),
      orphan(),
    );
    expect((await world.survey()).sets).toEqual([]);
    expect(await ownersOf(world, 'orphan')).toEqual([]);
  });

  test('of none that is let go because the deployment was deleted since it was read', async () => {
    const world = new DeploymentWorld(aMachineDeployment(), orphan());
    world.control.fault = ({ method, path: asked }) => {
      const isList = method === 'GET' && asked.endsWith('/machinesets');
      const deletionTimestamp = '2026-01-01T00:10:00Z';
      if (isList) world.control.put(aMachineDeployment({ metadata: { deletionTimestamp } }));
      return undefined;
    };
    // What it saw is not to be reported either.
    await expect(world.survey()).rejects.toThrow('409');
    expect(await ownersOf(world, 'orphan')).toEqual([]);
    // Nor is a new one made.
    await world.apply({ action: 'createSet', name: 'x', replicas: 1, revision: 1, reason: '' });
    expect((await world.sets()).map(({ metadata }) => metadata.name)).toEqual(['orphan']);
  });

  test('counts the set also where the answer to the adoption was lost', async () => {
    const world = new DeploymentWorld(aMachineDeployment(), orphan());
    conflictOnce(world, () => {
      const { uid } = orphan().metadata;
      world.control.put({ ...ownSet('orphan', { metadata: { uid } }) });
    });
    expect((await world.survey()).sets).toMatchObject([{ name: 'orphan' }]);
  });

  test('is not tried again for a deployment that is deleted meanwhile', async () => {
    const world = new DeploymentWorld(aMachineDeployment(), orphan());
    const wasRefused = conflictOnce(world, () => {
      const deletionTimestamp = '2026-01-01T00:10:00Z';
      world.control.put(aMachineDeployment({ metadata: { deletionTimestamp } }));
    });
    await world.survey().catch(() => undefined);
    expect(wasRefused()).toBe(true);
    expect(await ownersOf(world, 'orphan')).toEqual([]);
  });

  test('holds for the set that was read: another adopted it first', async () => {
    const world = new DeploymentWorld(aMachineDeployment(), orphan());
    world.control.fault = ({ method, path: written }) => {
      if (method === 'PATCH' && written === setPath('orphan')) {
        const { uid } = orphan().metadata;
        world.control.put({
          ...ownSet('orphan', { metadata: { uid, ownerReferences: [foreign ?? backup] } }),
        });
      }
      return undefined;
    };
    expect((await world.survey()).sets).toEqual([]);
    expect(await ownersOf(world, 'orphan')).toEqual([foreign]);
  });
});

test.each([
  { name: 'labels were changed', metadata: { labels: { pool: 'b' } } },
  { name: 'labels were taken off, as by a policy', metadata: { labels: {} } },
])('a set whose $name stays one of its deployment', async ({ metadata }) => {
  const ownerReferences = [...(ours ? [ours] : []), backup];
  const set = ownSet('own', { metadata: { ...metadata, ownerReferences } });
  const world = new DeploymentWorld(aMachineDeployment(), set);
  expect((await world.survey()).sets).toMatchObject([{ name: 'own', isOfTemplate: true }]);
  expect(await ownersOf(world, 'own')).toEqual(ownerReferences);
});

test('labels and selector that change together leave one pool: the old set is rolled', async () => {
  const world = new DeploymentWorld();
  await world.settle();
  const [old] = await world.sets();
  const stage = { stage: 'new' };
  const template = aTemplate({ metadata: { labels: stage } });
  const spec = { selector: { matchLabels: stage }, template };
  world.control.put(aMachineDeployment({ metadata: { generation: 2 }, spec }));
  await world.step();
  // It surges by one, and knows how many machines the old set has.
  expect(await world.survey()).toMatchObject({
    sets: [
      { name: old?.metadata.name, machines: 'AAA' },
      { isOfTemplate: true, replicas: 1 },
    ],
  });
  await world.settle();
  const sizes = (await world.sets()).map((set) => set.spec.replicas);
  expect(sizes).toEqual(expect.arrayContaining([0, 3]));
});

test.each<{ name: string; change(set: MachineSet): void; says: string }>([
  {
    name: 'labels and owner',
    change: ({ metadata }) => Object.assign(metadata, { labels: {}, ownerReferences: [] }),
    says: 'labels pool',
  },
  {
    name: 'template, which would be another one at each look',
    change: ({ spec }) =>
      Object.assign(spec.template ?? {}, { metadata: { labels: { pool: 'a', team: 'x' } } }),
    says: 'template',
  },
])(
  'a set that a policy makes with other $name is undone, and no next one is made',
  async ({ change, says }) => {
    const world = new DeploymentWorld();
    const { control } = world;
    const create = control.create.bind(control);
    control.create = async (at: string, body: MachineSet) => {
      const changed = structuredClone(body);
      change(changed);
      return await create(at, changed);
    };
    for (let turns = 0; turns < 5; turns += 1) {
      const { steps } = await world.plan();
      expect(await world.apply(...steps)).toMatchObject({ error: expect.stringContaining(says) });
      const left = (await world.sets()).filter(({ metadata }) => !metadata.deletionTimestamp);
      expect(left).toEqual([]);
      const metadata = { finalizers: null };
      for (const set of await world.sets()) {
        await control.patch(setPath(set.metadata.name), 'merge', { metadata });
      }
    }
  },
);

describe('a deployment adopts no set', () => {
  const strategy = { type: 'RollingUpdate' } as const;
  test.each<{ name: string; spec: Partial<MachineDeploymentSpec>; reason: string; words: string }>([
    {
      name: 'while the spec is faulty',
      spec: { strategy },
      reason: 'InvalidSpec',
      words: 'spec.strategy.rollingUpdate: Required value',
    },
    {
      name: 'with a selector that the template does not fit',
      spec: { selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] } },
      reason: 'InvalidSpec',
      words: 'spec.selector: Invalid value',
    },
    {
      name: 'with a selector that asks for nothing',
      spec: { selector: {} },
      reason: 'SelectingAll',
      words: 'This deployment is selecting all machines. A non-empty selector is required.',
    },
  ])('$name, and the status says why', async ({ spec, reason, words }) => {
    const stray = ownSet('stray', { metadata: { labels: { pool: 'b' } } });
    const world = new DeploymentWorld(aMachineDeployment({ spec }), orphan(), stray);
    const plan = await world.plan();
    expect(plan).toMatchObject({ steps: [], state: 'Blocked', blockedBy: 'spec' });
    expect(plan.report).toMatchObject({ type: 'Warning', reason });
    expect(await ownersOf(world, 'orphan')).toEqual([]);
    expect(await ownersOf(world, 'stray')).toEqual([ours]);
    const progressing = { type: 'Progressing', status: 'False', reason };
    expect((await world.deployment()).status).toMatchObject({
      observedGeneration: 1,
      conditions: expect.arrayContaining([
        expect.objectContaining({ ...progressing, message: expect.stringContaining(words) }),
      ]),
    });
  });
});

describe('a selector that asks for the label that tells the sets apart', () => {
  const hash = 'machine-template-hash';
  test.each<{ name: string; spec: Partial<MachineDeploymentSpec> }>([
    {
      name: 'with the value of a set that it was copied from',
      spec: {
        selector: { matchLabels: { pool: 'a', [hash]: '12345' } },
        template: aTemplate({ metadata: { labels: { pool: 'a', [hash]: '12345' } } }),
      },
    },
    {
      name: 'by its absence',
      spec: { selector: { matchExpressions: [{ key: hash, operator: 'DoesNotExist' }] } },
    },
  ])('makes no set that it would let go, and keeps those that it has: $name', async (given) => {
    const own = ownSet('own', { metadata: { labels: { [hash]: '777' } } });
    const world = new DeploymentWorld(aMachineDeployment({ spec: given.spec }), own);
    for (let looks = 0; looks < 3; looks += 1) await world.step();
    expect((await world.sets()).map(({ metadata }) => metadata.name)).toEqual(['own']);
    expect(await ownersOf(world, 'own')).toEqual([ours]);
    const { conditions = [] } = (await world.deployment()).status ?? {};
    const progressing = conditions.find(({ type }) => type === 'Progressing');
    expect(progressing).toMatchObject({
      reason: 'InvalidSpec',
      message: `spec.selector: Invalid value: must not ask for the label ${hash}, of which each MachineSet has a value of its own`,
    });
  });

  test('is fine where every set fits all the same', async () => {
    const matchExpressions = [{ key: hash, operator: 'NotIn', values: ['12345'] }];
    const world = new DeploymentWorld(
      aMachineDeployment({ spec: { selector: { matchLabels: { pool: 'a' }, matchExpressions } } }),
    );
    await world.settle();
    expect(await world.sets()).toHaveLength(1);
  });
});

describe('deletion', () => {
  test('takes the sets, then lets the object go', async () => {
    const world = new DeploymentWorld();
    await world.step();
    await world.control.delete(path);
    expect(await world.step()).toEqual(['deleteSets']);
    expect(await world.step()).toEqual([]);
    const { name } = (await world.set()).metadata;
    await world.changeSet(name, { metadata: { finalizers: [] } });
    expect(await world.step()).toEqual(['release']);
    expect(world.control.has(path)).toBe(false);
  });

  test('with --cascade=orphan leaves the sets alone until the garbage collector has let them go', async () => {
    const finalizers = [...(aMachineDeployment().metadata.finalizers ?? []), 'orphan'];
    const world = new DeploymentWorld(aMachineDeployment({ metadata: { finalizers } }));
    await world.step();
    await world.control.delete(path);
    expect(await world.step()).toEqual([]);
    const { name } = (await world.set()).metadata;
    await world.changeSet(name, { metadata: { ownerReferences: [] } });
    await world.change({ metadata: { finalizers: finalizers.slice(0, 1) } });
    expect(await world.step()).toEqual(['release']);
    expect(await world.sets()).toMatchObject([{ metadata: { name } }]);
    expect((await world.set()).metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('of another life of the object is none of this one', async () => {
    const world = new DeploymentWorld();
    await world.apply({ action: 'release', reason: '' });
    world.control.put(aMachineDeployment({ metadata: { uid: 'uid-of-another' } }));
    await world.apply({ action: 'release', reason: '' });
    expect((await world.deployment()).metadata.finalizers).toHaveLength(1);
    expect((await world.deployment()).metadata.uid).not.toBe(life.uid);
  });
});
