import { aMachineDeployment, aTemplate } from '../../support/builders.ts';
import { DeploymentWorld, path } from './deployment-world.ts';

const small = { kind: 'MachineClass', name: 'small' };
const large = { kind: 'MachineClass', name: 'large' };

/** Revision 1 is small, with the note `a` and a drain timeout; revision 2 is large. */
async function rolled(): Promise<DeploymentWorld> {
  const template = aTemplate({ spec: { class: small, drainTimeout: '1h' } });
  const metadata = { annotations: { note: 'a', 'millwright.dev/canary': '100%' } };
  const world = new DeploymentWorld(aMachineDeployment({ metadata, spec: { template } }));
  await world.settle();
  await world.annotate({ note: 'b', fresh: 'c' });
  await world.change({ spec: { template: { spec: { class: large, drainTimeout: null } } } });
  await world.settle();
  return world;
}

async function ask(world: DeploymentWorld, revision?: number): Promise<void> {
  const rollbackTo = revision === undefined ? {} : { revision };
  await world.change({ spec: { rollbackTo } });
}

describe('a rollback', () => {
  test.each([
    { name: 'to a revision', revision: 1 },
    { name: 'to the one before, written as 0', revision: 0 },
    { name: 'to the one before, with nothing written', revision: undefined },
  ])('$name gives the template back without its hash, and the wish goes', async ({ revision }) => {
    const world = await rolled();
    await ask(world, revision);
    expect(await world.step()).toEqual(['rollBack']);
    const { spec } = await world.deployment();
    expect(spec.template).toEqual({
      metadata: { labels: { pool: 'a' } },
      spec: { class: small, drainTimeout: '1h' },
    });
    expect(spec).not.toHaveProperty('rollbackTo');
    expect(await world.events()).toContain(
      'Normal DeploymentRollback: Rolled back deployment "workers" to revision 1',
    );
  });

  test('gives the annotations of then back, and keeps what never goes to sets', async () => {
    const world = await rolled();
    await ask(world, 1);
    await world.step();
    expect((await world.deployment()).metadata.annotations).toEqual({
      note: 'a',
      'millwright.dev/canary': '100%',
      'deployment.kubernetes.io/revision': '2',
    });
  });

  test('leaves the time as it is at which the autoscaler changed the number', async () => {
    const world = await rolled();
    const key = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';
    const [then, now] = ['2026-01-01T00:10:00Z', '2026-01-01T00:50:00Z'];
    const { metadata } = await world.set();
    await world.changeSet(metadata.name, { metadata: { annotations: { [key]: then } } });
    await ask(world, 1);
    await world.step();
    expect((await world.deployment()).metadata.annotations).not.toHaveProperty([key]);
    await world.settle();
    await world.annotate({ [key]: now });
    await ask(world, 2);
    await world.step();
    expect((await world.deployment()).metadata.annotations).toMatchObject({ [key]: now });
  });

  test('to before a restart is one to the set of then, not another restart', async () => {
    const world = await rolled();
    await world.annotate({ 'millwright.dev/restart': 'monday' });
    await world.settle();
    expect(await world.sets()).toHaveLength(3);
    await ask(world, 2);
    await world.settle();
    expect((await world.deployment()).metadata.annotations).not.toHaveProperty([
      'millwright.dev/restart',
    ]);
    expect(await world.sets()).toHaveLength(3);
  });

  test('is not done when the wish was taken back since, nor when the set is gone', async () => {
    const world = await rolled();
    await ask(world, 1);
    const { steps } = await world.plan();
    await world.change({ spec: { rollbackTo: null } });
    await world.apply(...steps);
    await ask(world, 1);
    await world.apply({ action: 'rollBack', set: 'gone', revision: 1, wish: 1, reason: '' });
    expect((await world.deployment()).spec.template.spec?.class).toEqual(large);
    expect((await world.events()).join()).not.toContain('DeploymentRollback');
  });

  test('is not seen as complete before it is done', async () => {
    const world = await rolled();
    await world.survey();
    const before = (await world.deployment()).status?.observedGeneration;
    await ask(world, 1);
    await world.survey();
    const { metadata, status } = await world.deployment();
    expect(status?.observedGeneration).toBe(before);
    expect(metadata.generation).toBeGreaterThan(before ?? Infinity);
    await world.settle();
    const after = await world.deployment();
    expect(after.status?.observedGeneration).toBe(after.metadata.generation);
  });

  test.each([1, 7])('is not done when another one was wished since: to %d', async (revision) => {
    const world = await rolled();
    await ask(world, revision);
    const { steps } = await world.plan();
    await ask(world, 0);
    await world.apply(...steps);
    expect((await world.deployment()).spec.rollbackTo).toEqual({ revision: 0 });
    expect((await world.events()).join()).not.toContain('DeploymentRollback');
    expect(await world.step()).toEqual(['rollBack']);
  });

  test.each([
    { name: 'is done', revision: 1, event: 'Normal DeploymentRollback: Rolled back deployment' },
    { name: 'is refused', revision: 7, event: 'Warning DeploymentRollbackRevisionNotFound: ' },
  ])('$name also where another client writes at the same moment', async ({ revision, event }) => {
    const world = await rolled();
    await ask(world, revision);
    const { steps } = await world.plan();
    let hasMet = false;
    world.control.fault = ({ method, path: written }) => {
      if (hasMet || method !== 'PATCH' || written !== path) return undefined;
      hasMet = true;
      return { code: 409, reason: 'Conflict' };
    };
    await world.apply(...steps);
    expect((await world.deployment()).spec).not.toHaveProperty('rollbackTo');
    expect((await world.events()).at(-1)).toContain(event);
  });

  test('is planned anew, without an Event, when the deployment changed in between', async () => {
    const world = await rolled();
    await ask(world, 1);
    const { steps } = await world.plan();
    world.control.fault = ({ method, path: written }) =>
      method === 'PATCH' && written === path ? { code: 409, reason: 'Conflict' } : undefined;
    expect(await world.apply(...steps)).toEqual({ written: [] });
    world.control.fault = () => undefined;
    expect((await world.events()).join()).not.toContain('DeploymentRollback');
    expect(await world.step()).toEqual(['rollBack']);
  });
});

describe('a rollback that cannot be done', () => {
  test.each([
    {
      name: 'to a revision that there is not',
      revision: 7,
      event:
        'Warning DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to. Known are 1, 2.',
    },
    {
      name: 'to the present one',
      revision: 2,
      event:
        'Warning DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as the deployment: 2',
    },
  ])('$name is taken away with an Event', async ({ revision, event }) => {
    const world = await rolled();
    await ask(world, revision);
    const { metadata, spec } = await world.deployment();
    expect(await world.step()).toEqual(['refuseRollback']);
    const after = await world.deployment();
    expect(after.spec).toEqual({ ...spec, rollbackTo: undefined });
    expect(after.metadata.annotations).toEqual(metadata.annotations);
    expect(await world.events()).toContain(event);
    expect(await world.step()).toEqual([]);
  });

  test('because there was only ever one', async () => {
    const world = new DeploymentWorld();
    await world.settle();
    await ask(world, 0);
    expect(await world.step()).toEqual(['refuseRollback']);
    expect((await world.events()).at(-1)).toContain('Unable to find the last revision.');
  });
});

/** The new set never comes up, and the deadline has passed. */
async function overdue(): Promise<DeploymentWorld> {
  const annotations = { 'millwright.dev/auto-rollback': 'true' };
  const world = new DeploymentWorld(
    aMachineDeployment({ metadata: { annotations }, spec: { progressDeadlineSeconds: 600 } }),
  );
  await world.settle();
  await world.change({ spec: { template: { spec: { class: large } } } });
  await world.step();
  await world.survey();
  world.now += 600_000;
  return world;
}

describe('an automatic rollback', () => {
  test('notes the set that was given up, says so, and leaves the template as it is', async () => {
    const world = await overdue();
    expect(await world.step()).toEqual(['giveUp']);
    const { name } = (await world.set(1)).metadata;
    const { metadata, spec } = await world.deployment();
    expect(metadata.annotations).toMatchObject({ 'millwright.dev/rolled-back-from': name });
    expect(spec.template.spec?.class).toEqual(large);
    const [event] = (await world.events()).filter((text) => text.includes('AutomaticRollback'));
    expect(event).toMatch(`Warning AutomaticRollback: MachineSet ${name} made no progress`);
    await world.settle();
    expect((await world.sets()).map((set) => set.spec.replicas)).toEqual([3, 0]);
  });

  test('gives up no template that had come up, after a pause in which machines got lost', async () => {
    const world = await rolled();
    await world.annotate({ 'millwright.dev/auto-rollback': 'true' });
    await world.change({ spec: { progressDeadlineSeconds: 600 } });
    await world.survey();
    const set = await world.set(1);
    const finished = set.metadata.name;
    world.report(set, { replicas: 3, readyReplicas: 2, availableReplicas: 2 });
    for (const paused of [true, null, null]) {
      await world.change({ spec: { paused } });
      await world.survey({ finished });
      world.now += 601_000;
    }
    expect((await world.plan({ finished })).steps).toEqual([]);
    const { conditions } = (await world.deployment()).status ?? {};
    expect(conditions?.find(({ type }) => type === 'Progressing')).toMatchObject({
      reason: 'NewMachineSetAvailable',
    });
  });
});
