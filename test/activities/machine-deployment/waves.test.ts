import { options } from '../../../workflows/api/constants.ts';
import { DeploymentWorld, machinePath, nextTemplate, path } from './deployment-world.ts';

const secondMs = 1_000;

/** The first of three machines is new and available, and its wave takes a minute. */
async function inWave(canary = '1 for 60s') {
  const world = new DeploymentWorld();
  await world.settle();
  await world.annotate({ [options.canary]: canary });
  await world.change({ spec: { template: nextTemplate } });
  await world.settle();
  return world;
}

async function notes(world: DeploymentWorld): Promise<(string | undefined)[]> {
  const { annotations } = (await world.deployment()).metadata;
  return [annotations?.[options.canaryPassed], annotations?.[options.canarySince]];
}

const newMachines = async (world: DeploymentWorld) => await world.machinesOf(await world.set(1));

const failed = '2:0 2026-01-01T01:00:10Z failed';

describe('a wave with a time', () => {
  test('begins when its machines are available, and ends by itself', async () => {
    const world = await inWave();
    expect(await notes(world)).toEqual([
      undefined,
      '2:0 2026-01-01T01:00:00Z 1 2026-01-01T00:00:00Z',
    ]);
    const { watched } = await world.survey();
    const at = Date.parse('2026-01-01T01:01:00Z');
    expect(watched?.end).toEqual({ at, text: '2026-01-01T01:01:00Z' });
    world.now += 59 * secondMs;
    expect(await world.step()).toEqual([]);
    world.now += secondMs;
    expect(await world.step()).toEqual(['passWave']);
    expect(await notes(world)).toEqual(['2:1', undefined]);
    expect(await world.events()).toContain(
      'Normal CanaryPassed: all went well for 1m0s: the first machine of workers-bd66d',
    );
    await world.settle();
    expect((await world.set(1)).spec.replicas).toBe(3);
  });

  test.each([
    {
      what: 'that failed',
      lose: async (world: DeploymentWorld) => {
        const [machine] = await newMachines(world);
        world.control.put({ ...machine, status: { currentStatus: { phase: 'Failed' } } });
      },
    },
    {
      what: 'that was replaced while nobody was there',
      lose: async (world: DeploymentWorld) => {
        const [machine] = await newMachines(world);
        await world.control.delete(machinePath(machine?.metadata.name ?? ''));
        const metadata = { creationTimestamp: '2026-01-01T01:00:05Z' };
        world.addMachine(await world.set(1), { metadata });
      },
    },
  ])('remembers a machine $what, and waits for a person', async ({ lose }) => {
    const world = await inWave();
    world.now += 10 * secondMs;
    await lose(world);
    expect(await world.step()).toEqual(['noteWave']);
    expect(await notes(world)).toEqual([undefined, failed]);
    expect(await world.events()).toContain(
      'Warning CanaryFailed: a machine failed or was replaced: the first machine of workers-bd66d',
    );
    world.now += 3_600 * secondMs;
    expect(await world.step()).toEqual([]);
    await world.annotate({ [options.canaryPassed]: '2:1' });
    await world.settle();
    expect((await world.set(1)).spec.replicas).toBeGreaterThan(1);
  });

  test('is longer by what kept the system from acting', async () => {
    const world = await inWave();
    const from = world.now + 10 * secondMs;
    world.world.pauses = () => [{ reason: 'worker', from, until: from + 600 * secondMs }];
    const { watched } = await world.survey();
    expect(watched?.end?.text).toBe('2026-01-01T01:11:10Z');
  });
});

describe('what was planned of a wave is written only', () => {
  test('for that wave: a person may have passed it meanwhile', async () => {
    const world = await inWave();
    world.now += 60 * secondMs;
    const { steps } = await world.plan();
    await world.annotate({ [options.canaryPassed]: '2' });
    await world.apply(...steps);
    expect((await notes(world))[0]).toBe('2');
  });

  test('in place of what was read: an attempt may come late', async () => {
    const world = await inWave();
    await world.annotate({ [options.canarySince]: null });
    const { steps } = await world.plan();
    expect(steps).toMatchObject([{ action: 'noteWave' }]);
    await world.annotate({ [options.canarySince]: failed });
    await world.apply(...steps);
    expect((await notes(world))[1]).toBe(failed);
  });

  test('as far as the API server lets it; all else goes on', async () => {
    const world = await inWave();
    world.now += 60 * secondMs;
    const { steps } = await world.plan();
    world.control.fault = ({ method, path: written }) =>
      method === 'PATCH' && written === path ? { code: 403, reason: 'Forbidden' } : undefined;
    const outcome = await world.apply(...steps);
    expect(outcome.error).toBeUndefined();
    expect(outcome.refused).toMatchObject({ names: ['MachineDeployment'] });
  });
});
