import { aMachineDeployment } from '../../support/builders.ts';
import {
  DeploymentWorld,
  life,
  machinePath,
  nextTemplate,
  path,
  setPath,
} from './deployment-world.ts';

async function settled(changes: Parameters<typeof aMachineDeployment>[0] = {}) {
  const world = new DeploymentWorld(aMachineDeployment(changes));
  await world.settle();
  return world;
}

async function scaleStep(world: DeploymentWorld, replicas: number) {
  const { metadata, spec } = await world.set();
  const { name, resourceVersion } = metadata;
  const from = spec.replicas ?? 0;
  return { action: 'scaleSet', name, resourceVersion, from, replicas, reason: '' } as const;
}

describe('scaling', () => {
  test.each([
    { name: 'up', replicas: 10, expected: 10 },
    { name: 'down', replicas: 1, expected: 1 },
    { name: 'to none', replicas: 0, expected: 0 },
    { name: 'to the default of none, when the field is taken away', replicas: null, expected: 0 },
  ])('$name', async ({ replicas, expected }) => {
    const world = await settled();
    await world.change({ spec: { replicas } });
    expect(await world.step()).toEqual(['scaleSet']);
    expect((await world.set()).spec.replicas).toBe(expected);
    expect(await world.step()).toEqual([]);
  });

  test('returns what was written, so that the next plan needs no look', async () => {
    const world = await settled();
    const outcome = await world.apply(await scaleStep(world, 5));
    const { name, resourceVersion } = (await world.set()).metadata;
    expect(outcome).toEqual({ written: [{ name, resourceVersion }] });
  });

  test('a second write to the same set holds for what the first one left', async () => {
    const world = await settled();
    const step = await scaleStep(world, 5);
    const { name, resourceVersion } = step;
    const close = {
      action: 'closeSet',
      name,
      resourceVersion,
      isClosed: true,
      reason: '',
    } as const;
    const { written } = await world.apply(close, step);
    expect(written).toHaveLength(1);
    expect(await world.set()).toMatchObject({
      metadata: { labels: { 'node.machine.sapcloud.io/scale-up-disabled': 'true' } },
      spec: { replicas: 5 },
    });
    await world.apply({
      ...close,
      resourceVersion: written[0]?.resourceVersion ?? '',
      isClosed: false,
    });
    expect((await world.set()).metadata.labels).not.toHaveProperty([
      'node.machine.sapcloud.io/scale-up-disabled',
    ]);
  });

  test.each([
    {
      when: 'somebody wrote it meanwhile',
      meddle: (world: DeploymentWorld, name: string) =>
        world.changeSet(name, { metadata: { labels: { touched: 'yes' } } }),
    },
    {
      when: 'it is gone',
      meddle: async (world: DeploymentWorld, name: string) => {
        await world.changeSet(name, { metadata: { finalizers: [] } });
        await world.control.delete(setPath(name));
      },
    },
  ])('leaves out a set, without an Event, when $when; the others are done', async ({ meddle }) => {
    const world = await settled();
    await world.change({ spec: { template: nextTemplate } });
    await world.step();
    const step = await scaleStep(world, 1);
    const events = await world.events();
    const { name, resourceVersion } = (await world.set(1)).metadata;
    await meddle(world, step.name);
    const { written, error } = await world.apply(step, {
      ...step,
      name,
      resourceVersion,
      from: 1,
      replicas: 2,
    });
    expect(error).toBeUndefined();
    expect(written.map((set) => set.name)).toEqual([name]);
    expect((await world.events()).slice(events.length)).toEqual([
      `Normal ScalingMachineSet: Scaled up machine set ${name} to 2`,
    ]);
  });
});

describe('what the API server says', () => {
  test('a refused write to the deployment is an answer, and the steps after it are not tried', async () => {
    const world = await settled();
    const step = await scaleStep(world, 5);
    world.control.fault = ({ method, path: written }) =>
      method === 'PATCH' && written === path
        ? { code: 422, reason: 'Invalid', message: 'too many' }
        : undefined;
    const writes = world.control.writes().length;
    const giveUp = { action: 'giveUp', set: step.name, onto: 'x', reason: '' } as const;
    const { written, error } = await world.apply(giveUp, step);
    expect(written).toEqual([]);
    expect(error).toContain('too many');
    expect(world.control.writes()).toHaveLength(writes + 1);
  });

  test('what was written before a refusal is still told', async () => {
    const world = await settled();
    const step = await scaleStep(world, 5);
    world.control.fault = ({ method, path: written }) =>
      method === 'PATCH' && written === path ? { code: 403, reason: 'Forbidden' } : undefined;
    const outcome = await world.apply(step, { action: 'forgetGivenUp', reason: '' });
    expect(outcome.written).toMatchObject([{ name: step.name }]);
    expect(outcome.error).toContain('Forbidden');
  });

  test('no answer at all is for Temporal to try again', async () => {
    const world = await settled();
    const step = await scaleStep(world, 5);
    world.control.fault = () => ({ code: 503, reason: 'HTTP503' });
    await expect(world.apply(step)).rejects.toThrow('HTTP503');
  });
});

const failed = async (annotations: Record<string, string>): Promise<DeploymentWorld> => {
  const world = await settled({ metadata: { annotations } });
  const [a, b] = await world.machinesOf(await world.set());
  for (const machine of [a, b]) {
    world.control.put({ ...machine, status: { currentStatus: { phase: 'Failed' } } });
  }
  return world;
};

const grantedOf = async (world: DeploymentWorld): Promise<string | undefined> =>
  (await world.set()).metadata.annotations?.['millwright.dev/replacements'];

describe('the replacement budget', () => {
  test('is given to as many failed machines, and taken from the set with the option', async () => {
    const world = await failed({ 'millwright.dev/replacement-budget': '1' });
    expect(await world.step()).toEqual(['grantReplacements']);
    const names = (await world.machinesOf(await world.set())).map(({ metadata }) => metadata.name);
    expect(names).toContain(await grantedOf(world));
    expect(await world.step()).toEqual([]);
    await world.annotate({ 'millwright.dev/replacement-budget': null });
    expect(await world.step()).toEqual(['grantReplacements']);
    expect(await grantedOf(world)).toBeUndefined();
  });

  test('of a set that is gone is no error', async () => {
    const world = await settled();
    const grant = { set: 'gone', machines: [], reason: '' };
    expect(await world.apply({ action: 'grantReplacements', ...grant })).toEqual({ written: [] });
  });
});

const machinesIn = async (world: DeploymentWorld): Promise<string[]> =>
  (await world.machinesOf(await world.set())).map(({ metadata }) => metadata.name);

describe('machines that the cluster autoscaler chose', () => {
  const list = 'node.machine.sapcloud.io/trigger-deletion-by-mcm';
  const mark = 'machine.sapcloud.io/marked-for-deletion-time';
  const time = '2026-01-01T00:50:00Z';
  test('get priority 1 and the time, and the list stays until they go', async () => {
    const world = await settled();
    const [first = ''] = await machinesIn(world);
    await world.annotate({ [list]: `${first}~${time}` });
    expect(await world.step()).toEqual(['markMachines']);
    expect((await world.machine(first)).metadata.annotations).toMatchObject({
      'machinepriority.machine.sapcloud.io': '1',
      [mark]: time,
    });
    expect((await world.deployment()).metadata.annotations?.[list]).toBe(`${first}~${time}`);
    expect(await world.step()).toEqual([]);
    await world.control.delete(machinePath(first));
    expect(await world.step()).toEqual(['markMachines']);
    expect((await world.deployment()).metadata.annotations).not.toHaveProperty([list]);
  });

  test('the list is shortened only if the autoscaler has not written another one meanwhile', async () => {
    const world = await settled();
    const [first = ''] = await machinesIn(world);
    await world.annotate({ [list]: `gone~${time}` });
    const { steps } = await world.plan();
    await world.annotate({ [list]: `${first}~${time}` });
    await world.apply(...steps);
    expect((await world.deployment()).metadata.annotations?.[list]).toBe(`${first}~${time}`);
  });

  test('one that went meanwhile is no error', async () => {
    const world = await settled();
    const [first = ''] = await machinesIn(world);
    await world.annotate({ [list]: `${first}~${time}` });
    const { steps } = await world.plan();
    await world.control.delete(machinePath(first));
    expect(await world.apply(...steps)).toEqual({ written: [] });
  });
});

test('a step for another life of the deployment writes nothing to it', async () => {
  const world = await settled();
  world.control.put({
    ...(await world.deployment()),
    metadata: { ...(await world.deployment()).metadata, uid: 'uid-of-another' },
  });
  const before = await world.deployment();
  await world.apply({ action: 'giveUp', set: 'x', onto: 'y', reason: 'z' });
  await world.apply({
    action: 'rollBack',
    set: (await world.set()).metadata.name,
    revision: 1,
    wish: 1,
    reason: '',
  });
  expect((await world.deployment()).metadata.annotations).toEqual(before.metadata.annotations);
  expect((await world.deployment()).metadata.uid).not.toBe(life.uid);
});
