import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { TemporalForTests } from '../support/temporal.ts';
import { Machines, SetWorld } from './set-world.ts';

let temporal: TemporalForTests;
beforeAll(async () => {
  temporal = await TemporalForTests.start();
}, 60_000);
afterAll(() => temporal.stop());

const batchesOf = (world: SetWorld): number[] =>
  world.log.inputsOf('createMachines').map(({ names }) => names.length);

async function hasMachines(machines: Machines, count: number): Promise<void> {
  await eventually(`${count} machines`, async () => machines.names.size === count);
}

test('0 to 37 in batches of 1, 2, 4 ..., then down to 5, then deleted', async () => {
  const machines = new Machines(37);
  const world = new SetWorld(temporal, 'machineSet', machines.steps());
  await world.run(async () => {
    await world.observe();
    await hasMachines(machines, 37);
    expect(batchesOf(world)).toEqual([1, 2, 4, 8, 16, 6]);
    machines.replicas = 5;
    await world.observe({ generation: 2 });
    await hasMachines(machines, 5);
    machines.isDeleting = true;
    await world.observe({ isDeleting: true });
    expect(await world.handle.result()).toEqual({ reason: 'the MachineSet is gone' });
    expect(machines.names.size).toBe(0);
    expect(world.log.count('releaseMachineSet')).toBe(1);
  });
});

test('a refused batch is reported, backs off, and starts again with one', async () => {
  const machines = new Machines(5);
  let refusals = 1;
  const steps = machines.steps();
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    createMachines: async (input) => {
      const isRefused = input.names.length === 2 && refusals > 0;
      if (!isRefused) return await steps.createMachines(input);
      refusals -= 1;
      return { created: [], taken: [], error: 'exceeded quota' };
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('surveyMachineSet', 2);
    expect(world.log.inputsOf('surveyMachineSet').at(-1)).toMatchObject({
      error: 'exceeded quota',
    });
    expect(batchesOf(world)).toEqual([1, 2]);
    await temporal.skip(3);
    await hasMachines(machines, 5);
    expect(batchesOf(world)).toEqual([1, 2, 1, 2, 1]);
  });
});

test('a batch that made nothing, because the set is gone, is followed by a look', async () => {
  const machines = new Machines(3);
  const steps = machines.steps();
  let isGone = false;
  const world = new SetWorld(temporal, 'machineSet', {
    ...steps,
    surveyMachineSet: async () => (isGone ? { found: false } : await steps.surveyMachineSet()),
    createMachines: async () => {
      isGone = true;
      return { created: [], taken: [] };
    },
  });
  await world.run(async () => {
    await world.observe();
    await world.log.until('surveyMachineSet', 2);
    expect(batchesOf(world)).toEqual([1]);
  });
});
