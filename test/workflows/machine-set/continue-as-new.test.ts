/** A run of a set whose batch is tried for very long goes on as a new one. */
import { Context } from '@temporalio/activity';
import { isNight } from '../../e2e/support/test-stack.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { hang } from '../machine/machine-world.ts';
import { Machines, SetWorld } from './set-world.ts';

const temporal = TemporalForTests.ofFile();

/** Runs in which a batch was begun. */
const runs: string[] = [];

/** The first call of a batch ends only when it is cancelled. */
function hangsOnce<Input, Outcome>(step: (input: Input) => Promise<Outcome>) {
  runs.length = 0;
  return async (input: Input): Promise<Outcome> => {
    runs.push(Context.current().info.workflowExecution?.runId ?? '');
    return runs.length === 1 ? await hang() : await step(input);
  };
}

/** Machines change all the time; each signal is an event of the history. */
async function flood(world: SetWorld): Promise<void> {
  for (let sent = 0; sent < 4_000; sent += 200) {
    await Promise.all(Array.from({ length: 200 }, () => world.changeMachines()));
  }
}

test('a batch of creates that lasts for 4,000 events is tried again in a new run, with its names', async () => {
  const machines = new Machines(1);
  const steps = machines.steps();
  const createMachines = hangsOnce(steps.createMachines);
  const world = new SetWorld(temporal, 'machineSet', { ...steps, createMachines });
  await world.run(async () => {
    await world.observe();
    await eventually('a batch runs', async () => runs.length === 1);
    await flood(world);
    await eventually('1 machine', async () => machines.names.size === 1);
    expect(new Set(runs).size).toBe(2);
    const [first, second] = world.log.inputsOf('createMachines');
    expect(second).toEqual(first);
  });
});

// Each takes half a minute of the server.
(isNight() ? test : test.skip)(
  'a batch of deletions that lasts for 4,000 events is planned again in a new run (by night)',
  async () => {
    const machines = new Machines(1);
    for (const name of ['a', 'b', 'c']) machines.names.add(name);
    const steps = machines.steps();
    const deleteMachines = hangsOnce(steps.deleteMachines);
    const world = new SetWorld(temporal, 'machineSet', { ...steps, deleteMachines });
    await world.run(async () => {
      await world.observe();
      await eventually('a batch runs', async () => runs.length === 1);
      const read = world.log.count('observeMachineSet');
      await flood(world);
      await eventually('1 machine', async () => machines.names.size === 1);
      expect(new Set(runs).size).toBe(2);
      expect(world.log.count('observeMachineSet')).toBeGreaterThan(read);
    });
  },
);
